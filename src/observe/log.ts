import pino, { type Logger } from 'pino'
import { describeError } from './describeError.ts'

/** Where log lines go: JSON, one per line. */
export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** File descriptor; 2 keeps standard output for what people read. */
  readonly descriptor?: number
}

const STANDARD_ERROR = 2

/**
 * The log of the process. Field names that carry credentials are censored wherever they stand, and errors are
 * described by what they are: what they say may quote a prompt.
 */
export function createLog({ level, descriptor = STANDARD_ERROR }: LogOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        // An error without a sentence would get its own message as one.
        logMethod(args, method) {
          const [first] = args as unknown[]
          if (args.length === 1 && isErrorLine(first)) method.apply(this, [first as object, 'an error'])
          else method.apply(this, args)
        },
      },
      serializers: { err: (error: unknown) => describeError(error) },
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

function isErrorLine(line: unknown): boolean {
  return line instanceof Error || (typeof line === 'object' && line !== null && 'err' in line)
}
