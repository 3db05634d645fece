/** Longer than any scheme of a provider. */
const SCHEME_LENGTH_MAX = 32
/** A single letter is a drive of Windows (`C://`). */
const SCHEME_LENGTH_MIN = 2
/** The content itself, or an authority without escapes that names no host of an account: most addresses, judged quickly. */
const ORDINARY_ADDRESS =
  /^(?:data:|https?:\/\/(?![^/?#]*(?:generativelanguage|aiplatform|cloud\.google))[!"$&-.0->@-[\]-~]+(?:[/?#]|$))/i
/** What every host of an account has in its name. */
const ACCOUNT_WORDS = /generativelanguage|aiplatform|cloud\.google/
/** By RFC 3986, where a backslash ends nothing. */
const AUTHORITY = /^[/\\]*([^/?#]*)/
const ASCII = /^[\0-\x7f]*$/
/** What counts for nothing in the name of a host (IDNA). */
const HOST_IGNORED = /\p{Default_Ignorable_Code_Point}/gu
const IDEOGRAPHIC_FULL_STOP = '\u3002'
/** Of a DNS name (RFC 1035). */
const HOST_LENGTH_MAX = 253
/** What text clean-up of a provider may take away before an address: blanks, control and format characters. */
const IGNORED = /[\s\p{Cc}\p{Cf}]/u

const SPACE = 0x20
const DELETE = 0x7f
const COLON = 0x3a

/**
 * Whether a text is an address that a provider may read with the account of the gateway. Of other schemes than those of
 * the web each is one: providers have their own for uploads and buckets, and new ones come without notice.
 *
 * - `gs://`, also in the project of the account: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
 * - `s3://`: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_S3Location.html
 * - `ms://`: https://platform.moonshot.ai/docs/guide/use-kimi-vision-model
 * - `oss://`: https://www.alibabacloud.com/help/en/model-studio/get-temporary-file-url
 * - `mm_file://`: https://platform.minimax.io/docs/api-reference/text-anthropic-api
 *
 * Signed addresses at S3, Azure or Cloud Storage have their own permission, and pass.
 */
export function isAccountAddress(text: string): boolean {
  if (ORDINARY_ADDRESS.test(text)) return false
  const scheme = readScheme(text)
  if (!scheme || scheme.name === 'data') return false
  if (scheme.name !== 'https' && scheme.name !== 'http') return startsWithSlashes(text, scheme.end)
  return hostsOf(text, scheme.end).some(isAccountHost)
}

/**
 * Whether a text stands for uploaded files. Qwen-Long reads them by the text of a system message:
 * https://www.alibabacloud.com/help/en/model-studio/long-context-qwen-long
 */
export function isFileText(text: string): boolean {
  const scheme = readScheme(text)
  return scheme?.name === 'fileid' && startsWithSlashes(text, scheme.end)
}

/**
 * Hosts that answer by the account that asks: Gemini's files (https://ai.google.dev/gemini-api/docs/files), the API of
 * Vertex, and downloads for people who are signed in (https://cloud.google.com/storage/docs/request-endpoints).
 */
function isAccountHost(host: string): boolean {
  if (host.length > HOST_LENGTH_MAX) return false
  const name = host.toLowerCase().replace(/\.+$/, '')
  if (name === 'storage.cloud.google.com') return true
  return name.endsWith('.googleapis.com') && ACCOUNT_WORDS.test(name)
}

/** The scheme in lower case, and where it ends. Tabs and line ends within it count for nothing (WHATWG URL). */
function readScheme(text: string): { readonly name: string; readonly end: number } | undefined {
  let start = -1
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isSchemeCharacter(code)) {
      if (start === -1) start = at
      length++
      if (length > SCHEME_LENGTH_MAX) return undefined
    } else if (code === COLON) {
      if (length < SCHEME_LENGTH_MIN) return undefined
      const written = text.slice(start, at)
      const name = length === written.length ? written : withoutIgnored(written)
      return { name: name.toLowerCase(), end: at + 1 }
    } else if ((code === SPACE && length > 0) || !isIgnored(code)) {
      return undefined
    }
  }
  return undefined
}

/** Two of them, in either direction. */
function startsWithSlashes(text: string, from: number): boolean {
  let slashes = 0
  for (let at = from; at < text.length && slashes < 2; at++) {
    if (text[at] === '/' || text[at] === '\\') slashes++
    else if (!isIgnored(text.charCodeAt(at))) return false
  }
  return slashes === 2
}

/**
 * The host as browsers read it, and as older parsers do: providers have either. None where the authority has no word of
 * an account: `new URL` takes microseconds, and a request may have many thousands of addresses.
 */
function hostsOf(text: string, from: number): readonly string[] {
  const rest = text.slice(from)
  const joined = /[\t\n\r]/.test(rest) ? rest.replaceAll(/[\t\n\r]/g, '') : rest
  const authority = folded(unescaped(AUTHORITY.exec(joined)?.[1] ?? ''))
  if (!ACCOUNT_WORDS.test(authority)) return []
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:.*/s, '')
  const url = URL.parse(text)
  return url ? [url.hostname, host] : [host]
}

function unescaped(authority: string): string {
  if (!authority.includes('%')) return authority
  try {
    return decodeURIComponent(authority)
  } catch {
    return authority
  }
}

/** In lower case, and with the letters that the name of a host has for them. */
function folded(authority: string): string {
  if (ASCII.test(authority)) return authority.toLowerCase()
  return authority
    .normalize('NFKC')
    .replaceAll(IDEOGRAPHIC_FULL_STOP, '.')
    .replaceAll(HOST_IGNORED, '')
    .toLowerCase()
}

/** A letter, a digit, or one of `+`, `-`, `.`, `_`: MiniMax has an underscore, which RFC 3986 has not. */
function isSchemeCharacter(code: number): boolean {
  const lower = code | 0x20
  if (lower >= 0x61 && lower <= 0x7a) return true
  return (code >= 0x30 && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x2e || code === 0x5f
}

function isIgnored(code: number): boolean {
  return code <= SPACE || (code >= DELETE && IGNORED.test(String.fromCharCode(code)))
}

function withoutIgnored(text: string): string {
  return Array.from(text)
    .filter((character) => !IGNORED.test(character))
    .join('')
}
