import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inTurn, openaiError, streams } from '../support/scriptedProvider.ts'
import { startWorld } from '../support/world.ts'

const PROMPT = 'the quick brown secret of the caller'
const ANSWER = 'the answer that is nobody else’s business'
const KEY_OF_PROVIDER = 'provider-secret'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-log-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Everything the log says while a request fails once, is answered, and ends. */
async function logOf(prompts: boolean): Promise<{ text: string; secret: string }> {
  const path = join(folder, `prompts-${prompts}.log`)
  const world = await startWorld({
    provider: inTurn(
      openaiError(500, {
        message: `boom: your key ${KEY_OF_PROVIDER} of org-Hidden12345 at https://x/?key=abc123456`,
      }),
      streams(ANSWER),
    ),
    config: () => ({ log: { level: 'debug', prompts } }),
    log: { level: 'debug', descriptor: openSync(path, 'w') },
  })
  const response = await world.chat({ messages: [{ role: 'user', content: PROMPT }], stream: true })
  await response.text()
  await world.settled()
  await world.stop()
  return { text: readFileSync(path, 'utf8'), secret: world.secret }
}

describe('the log', () => {
  test('holds no prompt, no answer, no key and no secret of a provider', async () => {
    const { text, secret } = await logOf(false)
    expect(text).toContain('call to provider failed')
    for (const hidden of [PROMPT, ANSWER, KEY_OF_PROVIDER, 'org-Hidden12345', 'abc123456', secret]) {
      expect(text).not.toContain(hidden)
    }
  })

  test('holds prompts and answers when that is switched on, and still no key', async () => {
    const { text, secret } = await logOf(true)
    expect(text).toContain(PROMPT)
    expect(text).toContain(ANSWER)
    for (const hidden of [KEY_OF_PROVIDER, secret]) expect(text).not.toContain(hidden)
  })
})
