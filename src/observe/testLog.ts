// What the tests of this folder share: a log that can be read.
import pino, { type Logger } from 'pino'

/** A log that keeps its lines, with what stands in the `msg` of each. */
export function createTestLog(): { log: Logger; sentences: () => string[] } {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  return { log, sentences: () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg) }
}
