/**
 * How many twelfths of a token a UTF-16 unit beyond ASCII takes in o200k, for `estimateTokens`: by script, for every character
 * that is not listed below. Vocabularies hardly know these, and take a token for each byte of UTF-8.
 */
export const SCRIPTS: readonly (readonly [from: number, weight: number])[] = [
  [0x0080, 24],
  [0x0180, 32],
  [0x0370, 24],
  [0x03d0, 32],
  [0x0400, 24],
  [0x0460, 32],
  [0x0530, 24],
  [0x0700, 32],
  [0x0800, 36],
  [0x0900, 24],
  [0x0e80, 36],
  [0x1000, 24],
  [0x1100, 44],
  [0x1200, 32],
  [0x1380, 44],
  [0x1780, 24],
  [0x1800, 44],
  [0x1e00, 32],
  [0x1f00, 44],
  [0x2000, 24],
  [0x2070, 36],
  [0x2100, 32],
  [0x2300, 40],
  [0x2460, 32],
  [0x2500, 24],
  [0x2600, 36],
  [0x2c00, 44],
  [0x3000, 24],
  [0x3140, 44],
  [0x4e00, 32],
  [0xa000, 44],
  [0xac00, 30],
  [0xd7a4, 44],
  [0xd800, 28],
  [0xe000, 44],
  [0xfe00, 32],
]

/**
 * The letters of living languages, of which natural text makes longer tokens: so much that natural text is estimated at its
 * count or more, and random letters near it. A letter alone, or repeated, can have more tokens than this says.
 */
export const LETTERS: readonly (readonly [weight: number, letters: string])[] = [
  // Latin
  [14, '\u00a0¡¢£¥¦§©«\u00ad®°±´µ¶·º»¿ÀÁÂÃÄÅÆÇÈÉÊËÍÎÏÑÒÓÔÕÖ×ÚÜÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċČčďĐ'],
  [14, 'đēėęěĝğġģħĩīįİıĵķļľłńņňōőœřśŝŞşšţťũūŭůűųŵźżžƏƙơưșț'],
  // Hausa and Hawaiian
  [14, 'ʻ'],
  // Marks above and below
  [14, '\u0300\u0301\u0302\u0303\u0306\u0308\u0309\u030a\u0323'],
  // Greek
  [8, 'άέήίαγδεηθικλμνοπρςστυφχωόύώ'],
  // Armenian
  [10, 'Աաբգդեզըթժիլխծկհձղճմյնշոչպջռսվտրցւփք'],
  // Hebrew
  [8, '\u05b7\u05b8אבגדהוזחטיךכלםמןנסעפצקרשת'],
  // Arabic, Persian, Urdu
  [8, 'ءآأؤإئابةتثجحخدذرزسشصضطظعغـفقكلمنهوىي\u064eٹپچړکڪګگںھہۇیېےە'],
  // Devanagari
  [10, '\u0901\u0902अआइईउएकखगघचछजटठडणतथदधनपफबभमयरलवशषसह\u093c\u093e\u093f\u0940\u0941\u0942\u0943\u0947'],
  [10, '\u0948\u0949\u094b\u094c\u094d'],
  // Bengali
  [10, '\u0981\u0982অআইউএওকখগঘচছজটঠডণতথদধনপফবভমযরলশষসহ\u09bc\u09be\u09bf\u09c0\u09c1\u09c2\u09c3\u09c7'],
  [10, '\u09c8\u09cb\u09cdয়১২ৰৱ'],
  // Gurmukhi
  [10, '\u0a02ਅਆਇਈਉਏਐਓਕਖਗਘਚਜਟਡਣਤਦਧਨਪਫਬਭਮਯਰਲਵਸ਼ਸਹ\u0a3c\u0a3e\u0a3f\u0a40\u0a41\u0a42\u0a47\u0a48\u0a4b'],
  [10, '\u0a4d\u0a70\u0a71'],
  // Gujarati
  [10, '\u0a82અઆઇઈઉએઓકખગચછજટડણતથદધનપફબભમયરલળવશષસહ\u0abe\u0abf\u0ac0\u0ac1\u0ac2\u0ac7\u0acb\u0acd'],
  // Odia
  [10, 'ଆଇକଗଙଚଛଜଟଡଣତଥଦଧନପବଭମରଲଳଶଷସହ\u0b3e\u0b3f\u0b40\u0b41\u0b47\u0b4b\u0b4dୟ'],
  // Tamil
  [11, 'அஆஇஉஎகஙசடணதநனபமயரறலளழவ\u0bbe\u0bbf\u0bc0\u0bc1\u0bc6\u0bc7\u0bc8\u0bca\u0bcb\u0bcd'],
  // Telugu
  [10, '\u0c02అఆఇఉఎకగచజటడతథదధనపబభమయరలళవశషస\u0c3e\u0c3f\u0c40\u0c41\u0c42\u0c46\u0c47\u0c48\u0c4a\u0c4b'],
  [10, '\u0c4d'],
  // Kannada
  [10, '\u0c82ಅಆಇಎಕಖಗಚಜಟಡಣತಥದಧನಪಬಭಮಯರಲಳವಶಷಸಹ\u0cbe\u0cbf\u0cc0\u0cc1\u0cc2\u0cc3\u0cc6\u0cc7\u0cca\u0ccb'],
  [10, '\u0ccd'],
  // Malayalam
  [10, '\u0d02അആഇഉഎകഖഗങചജഞടഡണതഥദധനപബഭമയരറലളഴവശഷസഹ\u0d3e\u0d3f\u0d40\u0d41\u0d42\u0d43\u0d46\u0d47\u0d4a'],
  [10, '\u0d4b\u0d4dർൽ'],
  // Sinhala
  [10, '\u0d82අඑඔකගචජටඩණතදධනඳපබභමයරලවශෂසහළ\u0dca\u0dcf\u0dd0\u0dd2\u0dd3\u0dd4\u0dd9\u0dda\u0ddc'],
  // Thai
  [10, 'กขคงจชซณดตถทธนบปผฝพฟภมยรลวศษสหอะ\u0e31าำ\u0e34\u0e35\u0e37\u0e38\u0e39เแโใไ\u0e47\u0e48\u0e49'],
  [10, '\u0e4c'],
  // Burmese
  [10, 'ကခဂငစဆဇညဏတထဒနပဖဗဘမယရလဝသဟအဥ\u102b\u102c\u102d\u102e\u102f\u1030\u1031\u1032\u1033\u1036\u1037'],
  [10, '\u1038\u1039\u103a\u103b\u103c\u103d\u103e၀၁၂၃၄၅၆၇၊။ၾၿႀ\u108f'],
  // Georgian
  [8, 'აბგდევზთიკლმნოპრსტუფქღყშცძწხ'],
  // Khmer
  [13, 'កខគងចជញដណតថទធនបផពភមយរលវសហឡអ\u17b6\u17b7\u17b8\u17b9\u17ba\u17bb\u17bc\u17bd\u17be\u17c0\u17c1'],
  [13, '\u17c2\u17c3\u17c4\u17c5\u17c6\u17c7\u17c8\u17c9\u17ca\u17cb\u17cc\u17cd\u17cf\u17d0\u17d2។៖ៗ០១២'],
  [13, '៣'],
  // Latin: Vietnamese, Yoruba
  [12, 'ḓḥḽṁṃṅṇṋṛṢṣṭṱẠạẢảẤấẦầẨẩẫẬậẮắằẳẵẶặẸẹẻẽẾếỀềỂểễỆệỉỊịỌọỏỐốỒồỔổỗỘộỚớỜờỞởỡợụủứừửữựỳỷỹ'],
  // Punctuation
  [12, '\u2002\u200b\u200c\u200d\u200e\u200f–—―‘’‚“”„†•․…\u2028\u202c›'],
  // Japanese
  [
    13,
    '\u3000、。々〇〈〉《》「」『』【】〒〔〕〖〜ぁあいうぇえおかがきぎくぐけげこごさざしじすずせぜそぞただちっつづてでとどなにねのはばぱひびふぶぷへほまみむめもゃやょよらりるれろわをんァアィ',
  ],
  [
    13,
    'イウェエォオカガキギクグケゲコゴサザシジスズセゼソタダチッツテデトドナニネノハバパビピフブプベペホボポマミムメモャヤュユョラリルレロワンヴヶ・ー',
  ],
  // Full width
  [
    18,
    '！％＆（）＊＋，－．／０１２３４５６７８９：；＜＝＞？＠ＡＢＣＤＥＦＧＫＭＮＯＰＲＳＴ［＼］＾＿｀ｅｍｗ｜～｡｣､･ｯｲﾜ￣￥',
  ],
  // Cyrillic, of which there are tokens of two
  [5, 'аоеилмуяі'],
  // Cyrillic, frequent
  [6, 'нтсрвкдп'],
  // Cyrillic, less frequent
  [8, 'бзгыьйчх'],
  // Cyrillic, rare, capital, and of few languages
  [12, 'ЁЂЄЅІЇЈЎАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯжфцшщъэюёђѓєѕїјљњћќўџҐҒғҗҙҚқҟҠҡңҧҩҫҭҮүҰұҲҳҵҶҷҺһҽҿӘәӡӣӨөӯ'],
  [12, 'ӷԥ'],
]
