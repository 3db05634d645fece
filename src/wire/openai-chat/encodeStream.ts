import type { Refusal } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'
import { refusalOfBrokenOff } from '../../core/refusalOf.ts'
import type { Usage } from '../../core/usage.ts'
import { encodeSseData } from '../sse.ts'
import type { Envelope, StreamEncoder } from '../wire.ts'
import { encodeFailedChunk } from './encodeError.ts'
import { encodeUsage } from './usage.ts'

const DONE = encodeSseData('[DONE]')
const ENDED_EARLY = { kind: 'invalid_answer', detail: 'the stream was ended before its choices' } as const
const ROLE_DELTA = '{"role":"assistant","content":""}'

/**
 * Writes a streamed answer. Per choice one role chunk, the deltas, one finish chunk; then usage if asked for and `[DONE]`, unless something failed.
 */
export function encodeStream(envelope: Envelope): StreamEncoder {
  const head =
    `data: {"id":${JSON.stringify(envelope.id)},"object":"chat.completion.chunk",` +
    `"created":${envelope.created},"model":${JSON.stringify(envelope.model)},`
  const tail = envelope.includeUsage ? ',"usage":null}\n\n' : '}\n\n'
  /** By index: whether the choice has finished. */
  const begun: boolean[] = []
  let unfinished = 0
  let usage: Usage | undefined
  let failed = false

  function chunk(
    index: number,
    delta: string,
    ending: string,
    choiceExtra: JsonObject | undefined,
    extra: JsonObject | undefined,
  ): string {
    return `${head}${fields(extra)}"choices":[{"index":${index},"delta":${delta}${ending}${moreFields(choiceExtra)}}]${tail}`
  }

  function begin(index: number, chunks: string[], extra?: JsonObject): void {
    if (begun[index] !== undefined) return
    begun[index] = false
    unfinished += 1
    chunks.push(chunk(index, ROLE_DELTA, ',"finish_reason":null', undefined, extra))
  }

  function fail(refusal: Refusal): string {
    failed = true
    return encodeSseData(JSON.stringify(encodeFailedChunk(refusal, envelope)))
  }

  return {
    push(event) {
      if (failed) return []
      const chunks: string[] = []
      switch (event.type) {
        case 'start':
          begin(0, chunks, event.extra)
          break
        case 'delta': {
          begin(event.index, chunks)
          const logprobs = event.logprobs === undefined ? '' : `,"logprobs":${JSON.stringify(event.logprobs)}`
          const ending = `${logprobs},"finish_reason":null`
          chunks.push(chunk(event.index, JSON.stringify(event.delta), ending, event.choiceExtra, event.extra))
          break
        }
        case 'finish': {
          begin(event.index, chunks)
          if (begun[event.index]) break
          begun[event.index] = true
          unfinished -= 1
          const ending = `,"finish_reason":"${event.reason}"`
          chunks.push(chunk(event.index, '{}', ending, event.choiceExtra, event.extra))
          break
        }
        case 'usage':
          usage = event.usage
          break
        case 'error':
          chunks.push(fail(refusalOfBrokenOff(event.failure)))
      }
      return chunks
    },
    end() {
      if (failed) return []
      if (unfinished > 0 || begun.length === 0) {
        // Whoever ends a stream too early must not make a cut answer look like a whole one.
        return [fail(refusalOfBrokenOff(ENDED_EARLY))]
      }
      failed = true
      if (!envelope.includeUsage || !usage) return [DONE]
      return [`${head}"choices":[],"usage":${JSON.stringify(encodeUsage(usage))}}\n\n`, DONE]
    },
    fail,
  }
}

/** The fields of an object to stand before others: `"a":1,` or nothing. */
function fields(object: JsonObject | undefined): string {
  const more = moreFields(object)
  return more === '' ? '' : `${more.slice(1)},`
}

/** The fields of an object to stand after others: `,"a":1` or nothing. */
function moreFields(object: JsonObject | undefined): string {
  if (object === undefined) return ''
  const text = JSON.stringify(object)
  return text === '{}' ? '' : `,${text.slice(1, -1)}`
}
