import type { JsonObject } from '../../core/json.ts'
import { editJson } from '../../core/jsonText.ts'
import { readNumber } from '../read.ts'

/** Writes the events of one stream, numbered in their order. */
export interface StreamEvents {
  write(type: string, fields: JsonObject): string
  /** @param fields as JSON, without the braces */
  writeText(type: string, fields: string): string
  /** An event that its provider has numbered, as JSON. It gets another number only where others were written before it. */
  pass(data: string): string
}

export function createEvents(): StreamEvents {
  /** Of the next event that is written. */
  let number = 0
  let hasWritten = false
  /** The last event that was passed, as long as its number is not read. */
  let passed: string | undefined
  let passedCount = 0

  function goOn(): void {
    if (passed === undefined) return
    const { sequence_number: last } = JSON.parse(passed) as JsonObject
    number = Math.max(passedCount, (readNumber(last) ?? -1) + 1)
    passed = undefined
  }

  function writeText(type: string, fields: string): string {
    goOn()
    hasWritten = true
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${number++},${fields}}\n\n`
  }

  return {
    writeText,
    write: (type, fields) => writeText(type, JSON.stringify(fields).slice(1, -1)),
    pass(data) {
      if (hasWritten) return editJson(data, [{ path: ['sequence_number'], json: String(number++) }])
      passed = data
      passedCount++
      return data
    },
  }
}

/** What every item of a stream has. */
export interface StreamedItem {
  /** Writes the ends of all that it opened. */
  close(isCut: boolean): string[]
  /** The whole item, once it is closed. */
  readonly item: JsonObject
}
