import type { UpstreamError } from '../core/failure.ts'
import type { JsonObject } from '../core/json.ts'
import type { Frame } from '../core/answer/frame.ts'
import { ANSWER_LENGTH_MAX, type FrameSplitter } from './frame.ts'
import { invalidAnswer } from './invalidAnswer.ts'
import { PiecedText } from './piecedText.ts'

/** The most `data` lines of one event: each costs far more than its characters. */
export const SSE_DATA_LINES_MAX = 10_000

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const ASCII_END = 0x80
const BYTE_ORDER_MARK = '\uFEFF'
const DATA = 'data:'
const EVENT = 'event:'
/** A line's field name does not count against the bound. */
const LINE_LENGTH_MAX = ANSWER_LENGTH_MAX + 'event: '.length

/**
 * Splits a streamed body into Server-Sent Events (WHATWG HTML, "Parsing an event stream"), however the
 * bytes are cut. One deviation: a last event without its blank line is delivered at `end()`.
 * `push` and `end` throw `UpstreamError` (`invalid_answer`) for an event beyond `ANSWER_LENGTH_MAX` or
 * `SSE_DATA_LINES_MAX`.
 */
export function sseFrames(): FrameSplitter {
  const decode = utf8Chunks()
  /** The line that has not ended yet. */
  const partial = new PiecedText()
  let data: string | undefined
  let dataLines = 0
  let event: string | undefined
  let atStart = true
  let afterCarriageReturn = false

  function takeLine(line: string, frames: Frame[]): void {
    if (line === '') {
      if (data !== undefined) frames.push({ event, data })
      data = undefined
      dataLines = 0
      event = undefined
      return
    }
    if (line.startsWith(DATA)) addData(fieldValue(line, DATA.length))
    else if (line.startsWith(EVENT)) event = bounded(fieldValue(line, EVENT.length)) || undefined
    else if (line === 'data') addData('')
    else bounded(line)
  }

  function addData(value: string): void {
    if (++dataLines > SSE_DATA_LINES_MAX) throw tooLong(`has more than ${SSE_DATA_LINES_MAX} lines`)
    data = bounded(data === undefined ? value : `${data}\n${value}`)
  }

  function addPartial(text: string): void {
    if (partial.length + text.length > LINE_LENGTH_MAX) throw tooLong(TOO_LONG)
    partial.add(text)
  }

  function takeText(text: string): Frame[] {
    const frames: Frame[] = []
    let position = 0
    while (position < text.length) {
      const lineEnd = text.indexOf('\n', position)
      if (lineEnd === -1) {
        addPartial(text.slice(position))
        break
      }
      // The usual case, a whole `data: …` event within one chunk, builds nothing but its data.
      if (
        partial.length === 0 &&
        data === undefined &&
        text.charCodeAt(lineEnd + 1) === LINE_FEED &&
        text.startsWith(DATA, position)
      ) {
        frames.push({ event, data: bounded(text.slice(valueStart(text, position + DATA.length), lineEnd)) })
        event = undefined
        position = lineEnd + 2
        continue
      }
      const rest = text.slice(position, lineEnd)
      takeLine(partial.length === 0 ? rest : partial.take() + rest, frames)
      position = lineEnd + 1
    }
    return frames
  }

  /** Turns CR and CRLF into LF, also where a CRLF is cut in two; drops the byte order mark. */
  function normalised(text: string): string {
    if (text === '') return text
    let start = 0
    if (atStart) {
      atStart = false
      if (text.startsWith(BYTE_ORDER_MARK)) start = 1
    }
    if (afterCarriageReturn && start < text.length) {
      afterCarriageReturn = false
      if (text.charCodeAt(start) === LINE_FEED) start += 1
    }
    const rest = start === 0 ? text : text.slice(start)
    if (!rest.includes('\r')) return rest
    afterCarriageReturn = rest.charCodeAt(rest.length - 1) === CARRIAGE_RETURN
    return rest.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  }

  return {
    get kept() {
      return partial.length + (data?.length ?? 0)
    },
    push: (bytes) => takeText(normalised(decode.push(bytes))),
    end() {
      const frames = takeText(normalised(decode.end()))
      if (partial.length > 0) takeLine(partial.take(), frames)
      takeLine('', frames)
      return frames
    },
  }
}

/** Writes one event; line breaks in the text become further `data` lines. */
export function encodeSseData(text: string, event?: string): string {
  const name = event === undefined ? '' : `event: ${event}\n`
  if (!text.includes('\n') && !text.includes('\r')) return `${name}data: ${text}\n\n`
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').replaceAll('\n', '\ndata: ')
  return `${name}data: ${lines}\n\n`
}

/** Writes one event of JSON, which holds no line break. */
export function encodeSseJson(body: JsonObject, event?: string): string {
  const data = `data: ${JSON.stringify(body)}\n\n`
  return event === undefined ? data : `event: ${event}\n${data}`
}

/** Where a field's value begins: one space after the colon is not part of it. */
function valueStart(text: string, afterColon: number): number {
  return text.charCodeAt(afterColon) === 32 ? afterColon + 1 : afterColon
}

function fieldValue(line: string, afterColon: number): string {
  return line.slice(valueStart(line, afterColon))
}

const TOO_LONG = `is longer than ${ANSWER_LENGTH_MAX} characters`

function bounded(text: string): string {
  if (text.length <= ANSWER_LENGTH_MAX) return text
  throw tooLong(TOO_LONG)
}

function tooLong(how: string): UpstreamError {
  return invalidAnswer(`an event of the stream ${how}`)
}

/** Decodes UTF-8 in chunks. A chunk that ends on an ASCII byte needs no state and takes the faster decoder. */
function utf8Chunks(): { push(bytes: Uint8Array): string; end(): string } {
  const whole = new TextDecoder('utf-8', { ignoreBOM: true })
  const streaming = new TextDecoder('utf-8', { ignoreBOM: true })
  let open = false
  return {
    push(bytes) {
      const last = bytes[bytes.length - 1]
      if (last === undefined) return ''
      if (!open && last < ASCII_END) return whole.decode(bytes)
      open = last >= ASCII_END
      return streaming.decode(bytes, { stream: true })
    },
    end: () => streaming.decode(),
  }
}
