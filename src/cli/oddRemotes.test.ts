import { printable } from '../core/printable.ts'
import { describe, expect, test } from 'bun:test'
import type { Operations } from '../operations/operations.ts'
import { createRemoteOperations } from './remoteOperations.ts'

/** Asks a server that always gives this answer; the message of what comes of it. */
async function asking(
  answer: () => Response,
  ask: (operations: Operations) => Promise<unknown>,
): Promise<string> {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  try {
    await ask(createRemoteOperations(server.url.href, 'token', fetch, () => Promise.resolve()))
    return 'it was taken'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    await server.stop(true)
  }
}

describe('what answers in place of an admin API', () => {
  test.each<[string, () => Response]>([
    ['an empty object', () => Response.json({})],
    ['no list', () => Response.json({ data: null, next_cursor: null })],
    ['a list of something else', () => Response.json({ data: [{ id: 1 }], next_cursor: null })],
    ['nothing', () => new Response(null, { status: 204 })],
    [
      'another type of time',
      () => Response.json({ data: [{ id: 'ws', created: 'soon' }], next_cursor: null }),
    ],
  ])('is not taken for one: %s', async (_what, answer) => {
    const message = await asking(answer, (operations) => operations.workspaces({}))
    expect(message).toContain('sent a response that this version cannot read')
  })

  test('may send without end, and is given up in time', async () => {
    let pieces = 0
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            pieces++
            controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20))
          },
        }),
      )
    const message = await asking(endless, (operations) => operations.usage({}))
    expect(message).toBe('the response is larger than 32 MiB: ask for less in one request')
    expect(pieces).toBeLessThan(64)
  })

  test('does not steer the terminal by its messages', async () => {
    const error = { code: 'not_found', message: 'gone \u001b]0;owned\u0007\u202etext', param: null }
    const answer = () => Response.json({ error }, { status: 404 })
    expect(await asking(answer, (operations) => operations.key('key_1'))).toBe('gone  ]0;owned  text')
  })
})

test.each(['', '.', '..'])('"%s" is no id: nothing else is asked in its place', async (id) => {
  const ask = (operations: Operations) => operations.workspace(id)
  expect(await asking(() => Response.json({}), ask)).toBe(`"${id}" is not an id`)
})

test('emoji of several signs stay whole, and what turns or hides text becomes a blank', () => {
  expect(printable('👩‍🚀 Grün')).toBe('👩‍🚀 Grün')
  expect(printable('a\u200bb\u2066c\u2028d\ne')).toBe('a b c d e')
})
