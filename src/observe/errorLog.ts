import type { Logger } from 'pino'
import { createRedact, type Redact } from './redact.ts'

export interface ErrorLogOptions {
  readonly log: Logger
  /** What must not stand in a log line; asked for again when the configuration has changed. */
  readonly secrets: () => readonly string[]
  /** Whether prompts and answers are logged: `log.prompts` of the configuration. */
  readonly prompts: () => boolean
}

/** Logs errors: what they are at once, what they say only where prompts may be logged too. */
export interface ErrorLog {
  /** Writes an error's type, code and place; see `describeError`. */
  error(
    fields: {
      readonly id?: string | undefined
      readonly at?: string
      readonly why?: string
      readonly charge_nano_usd?: string
    },
    error: unknown,
    sentence: string,
  ): void
  /** Writes what somebody else said, which may repeat prompts and answers: at level `debug`, with `log.prompts`. */
  words(fields: Readonly<Record<string, unknown>>, words: string, sentence: string): void
}

/** More causes of causes than this say nothing new; errors can be chained into a ring. */
const CAUSES_MAX = 5

export function createErrorLog({ log, secrets, prompts }: ErrorLogOptions): ErrorLog {
  let known: readonly string[] | undefined
  let redact: Redact = (text) => text

  function words(fields: Readonly<Record<string, unknown>>, text: string, sentence: string): void {
    if (!prompts() || !log.isLevelEnabled('debug')) return
    const inForce = secrets()
    if (inForce !== known) {
      known = inForce
      redact = createRedact(inForce)
    }
    log.debug({ ...fields, detail: redact(text) }, sentence)
  }

  return {
    words,
    error(fields, error, sentence) {
      log.error({ ...fields, err: error }, sentence)
      words(fields, messagesOf(error), 'what that error says')
    },
  }
}

function messagesOf(error: unknown): string {
  const messages: string[] = []
  let next = error
  while (next instanceof Error && messages.length < CAUSES_MAX) {
    messages.push(`${next.name}: ${next.message}`)
    next = next.cause
  }
  return messages.length === 0 ? String(error) : messages.join('\ncaused by ')
}
