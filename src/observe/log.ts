import pino, { type Logger } from 'pino'

/** Where log lines go: JSON, one per line. */
export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** File descriptor; 2 keeps standard output for what people read. */
  readonly descriptor?: number
}

const STANDARD_ERROR = 2

/** The log of the process. Field names that carry credentials are censored wherever they stand. */
export function createLog({ level, descriptor = STANDARD_ERROR }: LogOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          'api_key',
          '*.api_key',
          'secret',
          '*.secret',
          'headers.*',
        ],
        censor: '[redacted]',
      },
    },
    pino.destination({ dest: descriptor, sync: true }),
  )
}
