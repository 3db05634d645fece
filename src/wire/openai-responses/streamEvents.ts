import type { JsonObject } from '../../core/json.ts'

/** Writes the events of one stream, numbered in their order. */
export interface StreamEvents {
  write(type: string, fields: JsonObject): string
  /** @param fields as JSON, without the braces */
  writeText(type: string, fields: string): string
}

export function createEvents(): StreamEvents {
  let number = 0
  function writeText(type: string, fields: string): string {
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${number++},${fields}}\n\n`
  }
  return { writeText, write: (type, fields) => writeText(type, JSON.stringify(fields).slice(1, -1)) }
}

/** What every item of a stream has. */
export interface StreamedItem {
  /** Writes the ends of all that it opened. */
  close(isCut: boolean): string[]
  /** The whole item, once it is closed. */
  readonly item: JsonObject
}
