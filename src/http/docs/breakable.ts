/** A longer name is wider than a phone: it may also break behind the marks between its parts. */
const KEPT_WHOLE_MAX = 30

/**
 * HTML of inline code that may break at spaces and behind `/`, and nowhere else: a name that is read in two halves is
 * read wrongly.
 * @param code the content of a `code` element
 */
export function breakableCode(code: string): string {
  return code.replaceAll(/[^\s<>]+/g, (word) =>
    word
      .split(/(?<=[^/]\/+)(?=[^/])/)
      .map((part) => unbroken(part))
      .join('<wbr>'),
  )
}

function unbroken(part: string): string {
  const length = part.replaceAll(/&#?\w+;/g, '-').length
  if (length > KEPT_WHOLE_MAX) return part.replaceAll(/&#?\w+;|[._=?,:{[(-]+/g, (mark) => `${mark}<wbr>`)
  // Browsers break behind these.
  return /[-?|!]/.test(part) ? `<span class="whole">${part}</span>` : part
}

/** The same for all inline code of a page; blocks of code are left as they are. */
export function withBreakableCode(html: string): string {
  return html.replaceAll(
    /<pre[\s\S]*?<\/pre>|<code>([\s\S]*?)<\/code>/g,
    (whole: string, code: string | undefined) =>
      code === undefined ? whole : `<code>${breakableCode(code)}</code>`,
  )
}
