/** Zero-width blanks, soft hyphens, joiners, marks of direction and controls; not tabs and line ends. */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** The usual ones of them as JSON and as addresses have them: U+00AD, U+034F, U+061C, U+200B to U+200F and so on. */
const IN_JSON = /\\u(?:00ad|034f|061c|180[b-f]|200[b-f]|202[8-e]|206[0-9a-f]|fe0[0-9a-f]|feff)/gi
const IN_ADDRESSES =
  /%(?:C2%AD|CD%8F|D8%9C|E1%A0%8[B-F]|E2%80%8[B-F]|E2%80%A[89A-E]|E2%81%A[0-9A-F]|EF%B8%8[0-9A-F]|EF%BB%BF)/gi
/** Their UTF-8 read byte by byte, as heads of HTTP are. */
const IN_LATIN1 =
  /\u00c2\u00ad|\u00cd\u008f|\u00d8\u009c|\u00e2\u0080[\u008b-\u008f\u00a8-\u00ae]|\u00e2\u0081[\u00a0-\u00af]|\u00ef\u00b8[\u0080-\u008f]|\u00ef\u00bb\u00bf/g

/** A text without the characters that show nothing. A secret that was broken by them is one piece again. */
export function withoutInvisible(text: string): string {
  let joined = text
  for (const written of [IN_LATIN1, INVISIBLE, IN_JSON, IN_ADDRESSES]) joined = joined.replaceAll(written, '')
  return joined
}

/** Hides secrets in a text that invisible characters may have broken. Where there are none, they stay: emoji have some. */
export function hideBroken(text: string, hide: (text: string) => string): string {
  const joined = withoutInvisible(text)
  if (joined === text) return hide(text)
  const hidden = hide(joined)
  return hidden === joined ? hide(text) : hidden
}
