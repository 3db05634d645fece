import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { UpstreamError } from '../core/failure.ts'
import { createErrorLog } from './errorLog.ts'
import { createLog } from './log.ts'

const WORDS = 'buried under the fig tree'
const SECRET = 'velvet otter'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-log-lines-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What is written by an act. */
function written(level: 'debug' | 'info', act: (log: Logger) => void): string {
  const path = join(folder, `${crypto.randomUUID()}.log`)
  act(createLog({ level, descriptor: openSync(path, 'w') }))
  return readFileSync(path, 'utf8')
}

function broken(): Error {
  const failure = { kind: 'server', status: 500, code: 'server_error', detail: `${WORDS} ${SECRET}` } as const
  return new Error(`${WORDS} ${SECRET}`, { cause: new UpstreamError(failure, { cause: new Error(WORDS) }) })
}

describe('an error is logged without what it says', () => {
  const ways: readonly [string, (log: Logger) => void][] = [
    ['beside a sentence', (log) => log.error({ err: broken() }, 'internal error')],
    ['without a sentence', (log) => log.error({ err: broken() })],
    ['by itself', (log) => log.error(broken())],
    ['by itself beside a sentence', (log) => log.error(broken(), 'internal error')],
  ]
  test.each(ways)('%s', (_way, act) => {
    const text = written('debug', act)
    expect(text).toContain('"type":"Error"')
    expect(text).toContain('"code":"server_error"')
    for (const word of [...WORDS.split(' '), SECRET]) expect(text).not.toContain(word)
  })
})

describe('what an error says is logged', () => {
  function say(level: 'debug' | 'info', prompts: boolean): string {
    return written(level, (log) => {
      const errors = createErrorLog({ log, secrets: () => [SECRET], prompts: () => prompts })
      errors.error({ id: 'req_1' }, broken(), 'internal error')
    })
  }

  test('at level debug with prompts, without secrets', () => {
    const text = say('debug', true)
    expect(text).toContain(`Error: ${WORDS} [redacted]`)
    expect(text).not.toContain(SECRET)
  })

  test.each([
    ['debug', false],
    ['info', true],
  ] as const)('not at level %s with prompts %p', (level, prompts) => {
    const text = say(level, prompts)
    expect(text).toContain('internal error')
    expect(text).not.toContain('fig tree')
  })

  test('by the secrets that are in force now', () => {
    let secrets: readonly string[] = []
    const text = written('debug', (log) => {
      const errors = createErrorLog({ log, secrets: () => secrets, prompts: () => true })
      errors.words({}, 'first', 'said')
      secrets = [SECRET]
      errors.words({}, `then ${SECRET}`, 'said')
    })
    expect(text).toContain('then [redacted]')
  })
})
