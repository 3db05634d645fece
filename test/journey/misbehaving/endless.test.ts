import { expect, test } from 'bun:test'
import { errorOf, jsonOf, streamOf } from '../../support/readAnswer.ts'
import { type Act, openaiChunk, sse } from '../../support/scriptedProvider.ts'
import { onlyReceipt } from '../money/purse.ts'
import { startMisbehaving } from './misbehaviour.ts'

const PIECE = 'x'.repeat(64 * 1024)
/** Nothing that a provider sends is kept beyond this; sockets buffer some more. */
const MEBIBYTE = 1024 * 1024
const STREAM_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
const WHOLE_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n'

test.each([
  ['header', { stream: true }, endless('HTTP/1.1 200 OK\r\nx-endless: '), 16],
  ['event', { stream: true }, endless(`${STREAM_HEAD}data: {"id":"`), 48],
  ['event that a whole answer is gathered from', {}, endless(`${STREAM_HEAD}data: {"id":"`), 48],
  ['body', { max_tokens: 20 }, endless(`${WHOLE_HEAD}{"id":"`), 96],
  ['error', { max_tokens: 20 }, endless('HTTP/1.1 400 Bad Request\r\n\r\n{"error":"'), 16],
] as const)(
  'an endless %s is refused before it fills the memory, and costs nothing',
  async (_, body, act, limit) => {
    await using world = await startMisbehaving(act)
    const response = await world.chat(body)
    expect(response.status).toBeOneOf([400, 502])
    const error = await errorOf(response)
    expect(error.message).not.toContain('xxx')
    await world.settled()
    await world.provider.until(({ connectionsOpen }) => connectionsOpen === 0)
    // The connection is closed, not read to its end; a call may have been tried twice.
    expect(world.provider.bytesWritten).toBeLessThan(2 * limit * MEBIBYTE)
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  },
  60_000,
)

const CHUNKED = 'transfer-encoding: chunked\r\n\r\n'
const TINY_CHUNKS = '1\r\n \r\n'.repeat(10_000)

test.each([
  ['streamed', { stream: true }, 'text/event-stream'],
  ['asked whole', { max_tokens: 20 }, 'application/json'],
] as const)(
  'an answer in chunks of a byte is refused before much of it has come, and costs nothing: %s',
  async (_, body, type) => {
    const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${CHUNKED}`
    await using world = await startMisbehaving(endless(head, TINY_CHUNKS))
    const response = await world.chat(body)
    expect(response.status).toBe(502)
    expect((await errorOf(response)).code).toBe('upstream_error')
    await world.settled()
    await world.provider.until(({ connectionsOpen }) => connectionsOpen === 0)
    expect(world.provider.bytesWritten).toBeLessThan(16 * MEBIBYTE)
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  },
)

test.each([
  ['streamed', { stream: true, max_tokens: 20 }, 20],
  ['gathered', {}, 8_192],
] as const)(
  'an answer that goes on for ever ends with `length`, and costs no more than its limit: %s',
  async (_, body, most) => {
    const head = `${STREAM_HEAD}${sse(openaiChunk({ role: 'assistant', content: '' }))}`
    await using world = await startMisbehaving(
      endless(head, sse(openaiChunk({ content: 'word '.repeat(400) }))),
    )
    const response = await world.chat(body)
    if ('stream' in body) {
      const { error, done } = await streamOf(response)
      expect({ error, done }).toEqual({ error: undefined, done: true })
    } else {
      expect(response.status).toBe(200)
      expect((await jsonOf(response))['choices']).toMatchObject([{ finish_reason: 'length' }])
    }
    await world.settled()
    await world.provider.until(({ connectionsOpen }) => connectionsOpen === 0)
    const receipt = await onlyReceipt(world)
    expect([receipt.ending, receipt.usage.source]).toEqual(['length', 'estimated'])
    expect(receipt.lines).toMatchObject([{ class: 'input' }, { class: 'output', tokens: most }])
    expect((await world.balance()).held).toBe('0.00')
  },
  60_000,
)

/** Says this, and then the same again and again, until the other side has had enough. */
function endless(beginning: string, again = PIECE): Act {
  return {
    async play(turn) {
      await turn.write(beginning)
      while (!turn.over) await turn.write(again)
    },
  }
}
