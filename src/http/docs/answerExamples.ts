import type { Json } from '../../core/json.ts'
import type { OpenApiContent, OpenApiDocument, OpenApiOperation, OpenApiResponse } from '../openapi.ts'
import recorded from './answerExamples.json'

/**
 * What operations have answered: by operation, and by name where it has several. Recorded by
 * `scripts/updateAnswerExamples.ts`, from the samples of the reference; lists are cut to two entries.
 */
export type AnswerExamples = Readonly<Record<string, Readonly<Record<string, Json>>>>

const RECORDED: AnswerExamples = recorded

/** What a name among several answers stands for. */
const SUMMARIES: Readonly<Record<string, string>> = {
  receipt: 'A call with a receipt',
  refused: 'A refused call',
}

/** The document with the recorded answers of each operation that has none of its own. */
export function withAnswerExamples(document: OpenApiDocument): OpenApiDocument {
  const paths = mapValues(document.paths, (methods) => mapValues(methods, withAnswers))
  return { ...document, paths }
}

function withAnswers(operation: OpenApiOperation): OpenApiOperation {
  const answers = RECORDED[operation.operationId]
  if (answers === undefined) return operation
  const examples = mapValues(answers, (value, name) => ({ summary: SUMMARIES[name] ?? 'An answer', value }))
  const withExamples = (content: OpenApiContent): OpenApiContent =>
    content.examples === undefined ? { ...content, examples } : content
  const responses = mapValues(operation.responses, (response, status): OpenApiResponse => {
    const json = response.content?.['application/json']
    return json === undefined || !status.startsWith('2')
      ? response
      : { ...response, content: { ...response.content, 'application/json': withExamples(json) } }
  })
  return { ...operation, responses }
}

function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
}
