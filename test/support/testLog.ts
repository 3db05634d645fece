import pino, { type Logger } from 'pino'

type Line = Readonly<Record<string, unknown>> & { readonly msg: string }

/** A log that keeps its lines, with the `msg` of each. */
export function createTestLog(): { log: Logger; lines: () => Line[]; sentences: () => string[] } {
  const written: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void written.push(line) })
  const lines = (): Line[] => written.map((line) => JSON.parse(line) as Line)
  return { log, lines, sentences: () => lines().map(({ msg }) => msg) }
}
