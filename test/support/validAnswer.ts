import { isJsonObject } from '../../src/core/json.ts'
import { apiDescription } from './apiDescription.ts'

/** What the gateway answered to a request. */
export interface Answer {
  readonly method: string
  /** As it was asked, without the query. */
  readonly path: string
  readonly status: number
  readonly contentType: string | null
  /** The whole body, or the part of a stream that was read. */
  readonly body: string
}

const ERROR = ['components', 'schemas', 'Error']
/** For clients of Anthropic, who send the version of its API. */
const MESSAGE_ERROR = ['components', 'schemas', 'MessageError']
/** JSON that is a document itself, or a part of the pages: the description leaves it out, as it does the pages. */
const READ_BY_PAGES: ReadonlySet<string> = new Set(['/openapi.json', '/docs/search.json'])
/** So much of a body that is wrong is shown. */
const SHOWN_MAX = 2000

/**
 * Throws where an answer breaks the gateway's own OpenAPI document: a status or a content type that the path does not
 * list, a body that the schema refuses, a field that the schema does not name, an error code that the status does not
 * have. Paths and methods that the document leaves out answer JSON only in order to refuse.
 */
export async function expectValidAnswer(answer: Answer): Promise<void> {
  const mistake = await mistakeOf(answer)
  if (mistake === undefined) return
  const { method, path, status, body } = answer
  const said = `${method} ${path} answered ${status}, not as /openapi.json says: ${mistake}`
  throw new Error(`${said}\n${body.slice(0, SHOWN_MAX)}`)
}

async function mistakeOf({ method, path, status, contentType, body }: Answer): Promise<string | undefined> {
  const api = await apiDescription()
  const head = method === 'HEAD'
  const operation = api.operation(head ? 'get' : method.toLowerCase(), path.replaceAll(/\/{2,}/g, '/'))
  const type = contentType?.split(';')[0]?.trim() ?? 'answer without a content type'
  if (operation === undefined) {
    if (type !== 'application/json' || head || READ_BY_PAGES.has(path)) return undefined
    if (status < 400) return 'it does not describe this path or method'
    const error = jsonIn(body)
    return api.mistake(isMessageError(error) ? MESSAGE_ERROR : ERROR, error)
  }

  const { responses } = operation.described
  const response = responses[status]
  if (response === undefined) return `it lists ${Object.keys(responses).join(', ')}`
  if (head) return undefined
  if (response.content === undefined) return body === '' ? undefined : 'it lists no body'
  if (response.content[type] === undefined) return `it lists no ${type}`
  const described = ['paths', operation.path, method.toLowerCase(), 'responses', String(status)]
  const pointer = [...described, 'content', type, 'schema']
  if (type === 'application/json') {
    const value = jsonIn(body)
    if (value === undefined) return 'the body is no JSON'
    return api.mistake(pointer, value) ?? wrongCode(response.description, value)
  }
  if (type !== 'text/event-stream') return undefined
  for (const event of eventsOf(body)) {
    const mistake = api.mistake(pointer, event)
    if (mistake !== undefined) return `${mistake} in ${JSON.stringify(event)}`
  }
  return undefined
}

function isMessageError(body: unknown): boolean {
  return isJsonObject(body) && body['type'] === 'error'
}

/** The description of a refusal names the codes that come with its status. */
function wrongCode(description: string, body: unknown): string | undefined {
  if (!isJsonObject(body) || !isJsonObject(body['error'])) return undefined
  const { code } = body['error']
  const named = typeof code === 'string' && description.includes(`\`${code}\``)
  return named ? undefined : `for this status it names ${description}`
}

/** The JSON of the events that came whole. */
function eventsOf(body: string): unknown[] {
  const whole = body.slice(0, body.lastIndexOf('\n\n') + 1)
  return whole.split('\n').flatMap((line) => {
    const value = line.startsWith('data: ') ? jsonIn(line.slice('data: '.length)) : undefined
    return value === undefined ? [] : [value]
  })
}

/** Undefined for what is not JSON. The gateway's own reader would refuse what is very large. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
