import { expect, test } from 'bun:test'
import { createGate, streams } from '../support/scriptedProvider.ts'
import { MESSAGES, MODEL, startWorld } from '../support/world.ts'

/** Above the 256 outgoing calls at once that the runtime's own `fetch` is capped at. */
const STREAMS = 400

test('400 streams run at once, each with a call of its own to the provider, and each is charged once', async () => {
  const gate = createGate()
  await using world = await startWorld({
    provider: streams('Hello', gate, ' world'),
    workspace: { requests_per_minute: 1000 },
  })
  const answers = Array.from({ length: STREAMS }, () => streamOverOwnSocket(world.gateway.port, world.secret))
  await world.provider.until(({ requests }) => requests.length === STREAMS)
  expect(world.provider.connectionsOpen).toBe(STREAMS)
  gate.open()
  const texts = await Promise.all(answers)
  for (const text of texts) {
    expect(text).toStartWith('HTTP/1.1 200')
    expect(text).toContain('" world"')
    expect(text).toContain('data: [DONE]')
  }
  const ids = texts.map((text) => /x-request-id: (\S+)/i.exec(text)?.[1])
  expect(new Set(ids).size).toBe(STREAMS)
  await world.settled()
  expect(await world.balance()).toEqual({ balance: '9.991', held: '0.00' })
}, 60_000)

/** The test's own `fetch` has the cap that the gateway must not have. */
async function streamOverOwnSocket(port: number, secret: string): Promise<string> {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const decoder = new TextDecoder()
  let text = ''
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_, bytes) => void (text += decoder.decode(bytes, { stream: true })),
      close: () => resolve(),
    },
  })
  const body = JSON.stringify({ model: MODEL, messages: MESSAGES, max_tokens: 20, stream: true })
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\nauthorization: Bearer ${secret}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await closed
  return text
}
