import { describe, expect, test } from 'bun:test'
import { type Json, isJsonObject } from '../../../src/core/json.ts'
import { contentOf, jsonOf, streamOf } from '../../support/readAnswer.ts'
import {
  type Act,
  openaiCompletion,
  openaiError,
  openaiUsage,
  respond,
  streams,
} from '../../support/scriptedProvider.ts'
import { type World, standardConfig, startWorld } from '../../support/world.ts'

const TOOLS = [{ type: 'function', function: { name: 'now', parameters: { type: 'object' } } }]
const HUGE = 'word'.repeat(4_000)

/** Refuses every stream with these words, and answers whole. */
function refusesStreams(message: string, answer = 'Hello world', usage = openaiUsage(9, 2)): Act {
  return {
    async play(turn) {
      const act = isStreamed(turn.request?.body)
        ? openaiError(400, { message, type: 'invalid_request_error' })
        : respond({ body: openaiCompletion(answer, { usage }) })
      await act.play(turn)
    },
  }
}

function isStreamed(body: Json | undefined): boolean {
  return isJsonObject(body) && body.stream === true
}

function withLogprobs(body: Json | undefined): boolean {
  return isJsonObject(body) && body.logprobs === true
}

/** For each call to the provider, whether it was asked for a stream. */
function asked(world: World): boolean[] {
  return world.provider.requests.map(({ body }) => isStreamed(body))
}

describe('a target that refuses to stream', () => {
  test('is asked whole, and remembered: its caller hears a stream all the same', async () => {
    await using world = await startWorld({
      provider: refusesStreams('Streaming is not supported with tools.'),
    })
    for (let i = 0; i < 2; i++) {
      const answer = await streamOf(await world.chat({ stream: true, tools: TOOLS }))
      expect([answer.error, answer.done, contentOf(answer)]).toEqual([undefined, true, 'Hello world'])
    }
    expect(asked(world)).toEqual([true, false, false])
  })

  test.each(['stream', null])(
    'because the organization is not verified (param %p) is asked whole, and nothing of it is blocked',
    async (param) => {
      const message = 'Your organization must be verified to stream this model. Please click on Verify.'
      const refusal = openaiError(400, { message, code: 'unsupported_value', param })
      await using world = await startWorld({
        provider: {
          play: (turn) =>
            (isStreamed(turn.request?.body)
              ? refusal
              : respond({ body: openaiCompletion('Hello world', { usage: openaiUsage(9, 2) }) })
            ).play(turn),
        },
      })
      for (let i = 0; i < 2; i++) {
        const answer = await streamOf(await world.chat({ stream: true, tools: TOOLS }))
        expect([answer.error, contentOf(answer)]).toEqual([undefined, 'Hello world'])
      }
      expect(asked(world)).toEqual([true, false, false])
    },
  )

  test('because the organization is not verified, and does not answer whole either, is a 502', async () => {
    const message = 'Your organization must be verified to stream this model.'
    await using world = await startWorld({
      provider: openaiError(400, { message, code: 'unsupported_value', param: 'stream' }),
    })
    expect((await world.chat({ stream: true, tools: TOOLS })).status).toBe(502)
  })

  test('is asked for a stream by another workspace, and by the same one without the field that was at fault', async () => {
    await using world = await startWorld({
      provider: {
        play: (turn) =>
          (isStreamed(turn.request?.body) && withLogprobs(turn.request?.body)
            ? openaiError(400, { message: 'logprobs are not supported with streaming' })
            : isStreamed(turn.request?.body)
              ? streams('Hello')
              : respond({ body: openaiCompletion('Hello') })
          ).play(turn),
      },
    })
    const other = await world.operations.createWorkspace({ name: 'other', type: 'personal' })
    await world.operations.credit(other.id, { amount_usd: '1' })
    const { key } = await world.operations.createKey(other.id, { name: 'other' })
    const logprobs = { stream: true, logprobs: true }
    await (await world.chat(logprobs)).text()
    await (await world.chat({ stream: true })).text()
    await (await world.chat(logprobs, { authorization: `Bearer ${key}` })).text()
    expect(asked(world)).toEqual([true, false, true, true, false])
  })

  test('is asked whole from the first call on, where its row says so', async () => {
    await using world = await startWorld({
      provider: refusesStreams('never asked'),
      config: (provider) => {
        const { acme } = standardConfig(provider)['providers'] as { acme: object }
        return { providers: { acme: { ...acme, quirks: { streaming: 'never' } } } }
      },
    })
    expect(contentOf(await streamOf(await world.chat({ stream: true })))).toBe('Hello world')
    expect(asked(world)).toEqual([false])
  })

  test('is heard where the request is at fault, however it is asked', async () => {
    await using world = await startWorld({
      provider: openaiError(400, { message: 'Streams of tools are bad.', type: 'invalid_request_error' }),
    })
    expect((await world.chat({ stream: true })).status).toBe(400)
    expect(asked(world)).toEqual([true, false])
    expect((await world.chat({ stream: true })).status).toBe(400)
    expect(asked(world)).toHaveLength(4)
  })

  test.each([true, false])(
    'gives no more than balance and hold pay: the limit is sent, and what goes beyond is cut (streamed: %p)',
    async (stream) => {
      await using world = await startWorld({
        provider: refusesStreams('no streams', HUGE, openaiUsage(9, 4_000)),
        balance: '0.00107',
      })
      const response = await world.chat({ stream })
      const text = stream ? contentOf(await streamOf(response)) : JSON.stringify(await jsonOf(response))
      expect(text.length).toBeGreaterThan(2_000)
      expect(text.length).toBeLessThan(3_400)
      await world.settled()
      const { body: sent } = await world.provider.request(world.provider.requests.length - 1)
      const limit = (sent as { max_tokens: number }).max_tokens
      expect(limit).toBeGreaterThan(512)
      expect(limit).toBeLessThan(720)
      const receipts = await world.operations.requests({})
      expect(receipts.data).toMatchObject([{ ending: 'hold_exhausted' }])
      expect((await world.balance()).held).toBe('0.00')
    },
  )
})
