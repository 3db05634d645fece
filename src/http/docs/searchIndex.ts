import type { OpenApiDocument } from '../openapi.ts'
import { guideHtml } from './guideHtml.ts'
import { GUIDE_GROUPS, guideNames, readGuide } from './guides.ts'

/** A page that the search box finds. `docs/site.js` reads it. */
interface IndexedPage {
  readonly path: string
  readonly title: string
  readonly text: string
  /** Those above its first part, each once. */
  readonly words: string
  readonly parts: readonly IndexedPart[]
}

/** Anchor, heading and first sentence of a part of a page, and its other words, each once. */
type IndexedPart = readonly [anchor: string, title: string, text: string, words: string]

/** Headings, the first sentence below each, and all words: of all documents and of the API reference. Guides come first. */
export async function searchIndex(document: OpenApiDocument): Promise<readonly IndexedPage[]> {
  const listed = GUIDE_GROUPS.flatMap(({ names }) => names)
  const others = guideNames().filter((name) => !listed.includes(name))
  const guides = await Promise.all([...listed, ...others.sort()].map(indexedGuide))
  return [...guides.filter((guide) => guide !== undefined), indexedReference(document)]
}

async function indexedGuide(name: string): Promise<IndexedPage | undefined> {
  const guide = await readGuide(name)
  if (guide === undefined) return undefined
  const { html } = guideHtml(guide)
  const [beginning = '', ...rest] = html.split(/(?=<h[23] )/)
  const parts = rest.map((part): IndexedPart => {
    const [head = '', , anchor = '', title = ''] =
      /^<h([23]) id="([^"]*)">([\s\S]*?)<a class="anchor"[\s\S]*?<\/h\1>/.exec(part) ?? []
    const [, paragraph = ''] =
      /^\s*(?:<p>|<ul>\s*<li>)([\s\S]*?)<\/(?:p|li)>/.exec(part.slice(head.length)) ?? []
    const [heading, sentence] = [textOf(title), sentenceOf(textOf(paragraph))]
    return [anchor, heading, sentence, wordsIn(part, `${heading} ${sentence}`)]
  })
  return {
    path: `/docs/${name}`,
    title: guide.title,
    text: guide.description,
    words: wordsIn(beginning),
    parts,
  }
}

function indexedReference(document: OpenApiDocument): IndexedPage {
  const shown = new Set(document.tags?.map(({ name }) => name))
  const parts = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.some((tag) => shown.has(tag)))
      .map(([method, { operationId, summary }]): IndexedPart => [
        operationId,
        `${method.toUpperCase()} ${path}`,
        summary,
        '',
      ]),
  )
  return {
    path: '/docs',
    title: 'API reference',
    text: 'Every path, with its fields and samples.',
    words: '',
    parts,
  }
}

const SENTENCE_LENGTH_MAX = 140

function sentenceOf(text: string): string {
  const [sentence = text] = /^.*?[.:?](?=\s|$)/.exec(text) ?? []
  return sentence.length <= SENTENCE_LENGTH_MAX ? sentence : `${sentence.slice(0, SENTENCE_LENGTH_MAX - 1)}…`
}

/** The words of a piece of a page, each once, but none of those that are shown anyway. */
function wordsIn(html: string, shown = ''): string {
  const known = new Set(wordsOf(shown))
  return [...new Set(wordsOf(textOf(html)))].filter((word) => !known.has(word)).join(' ')
}

/** What a reader may look for: words, and names such as `server.drain`, `metrics_token` or `429`. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_$][\p{L}\p{N}_.:/-]*[\p{L}\p{N}_]|\p{N}/gu) ?? []
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' }

function textOf(html: string): string {
  return (
    html
      // Cells and blocks end words; what marks a part of one does not.
      .replaceAll(/<\/?(?:td|th|tr|li|p|pre|h\d|br)\b[^>]*>/g, ' ')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
      .replaceAll('&#39;', "'")
      .replaceAll(/\s+/g, ' ')
      .trim()
  )
}
