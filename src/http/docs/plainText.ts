const SENTENCE_LENGTH_MAX = 200

/** Markdown of one paragraph without its marks. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The first sentence of the first paragraph, at most 200 characters of it; undefined where there is no paragraph. */
export function firstSentence(markdown: string): string | undefined {
  const paragraph = markdown
    .replaceAll(/^(`{3,}).*\n[\s\S]*?^\1$|^#.*$/gm, '')
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .find((block) => block !== '' && !/^(?:<!--|\||[-*] |\d+\. )/.test(block))
  if (paragraph === undefined) return undefined
  const text = plainText(paragraph)
  const [sentence = text] = /^.*?[.:?](?=\s|$)/.exec(text) ?? []
  return sentence.replace(/:$/, '.').slice(0, SENTENCE_LENGTH_MAX)
}
