import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/core/json.ts'
import type { WireFormatId } from '../../../src/wire/formats.ts'
import {
  type Frame,
  hang,
  openaiChunk,
  openaiUsage,
  openaiUsageChunk,
  sse,
  stream,
} from '../../support/scriptedProvider.ts'
import { type World, standardConfig, startWorld } from '../../support/world.ts'
import {
  COUNTED_HELLO_WORLD,
  expectChargedOnce,
  expectLinesExplainCharge,
  onlyReceipt,
  openStream,
  usd,
} from './purse.ts'

const PROMPT = 3_013
const CACHED = 3_000
const CHARGE = usd(13n * 500n + 3_000n * 250n + BigInt(COUNTED_HELLO_WORLD) * 1500n)

const OPENAI_REPORT = openaiUsage(PROMPT, 0, { prompt_tokens_details: { cached_tokens: CACHED } })

function geminiFrame(text: string, usageMetadata?: JsonObject): string {
  return sse({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }],
    ...(usageMetadata && { usageMetadata }),
  })
}

function anthropicEvent(type: string, more: JsonObject): string {
  return sse({ type, ...more }, { event: type })
}

/** Answers that say "Hello world", and whose prompt is reported before or within it. Bedrock and Cohere report at the end. */
const ANSWERS: Readonly<Partial<Record<WireFormatId, readonly Frame[]>>> = {
  'openai-chat': [
    openaiUsageChunk(OPENAI_REPORT),
    openaiChunk({ role: 'assistant', content: 'Hello' }),
    openaiChunk({ content: ' world' }),
  ],
  'mistral-chat': [
    openaiChunk({ role: 'assistant', content: 'Hello' }, { more: { usage: OPENAI_REPORT } }),
    openaiChunk({ content: ' world' }),
  ],
  'anthropic-messages': [
    anthropicEvent('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        content: [],
        model: 'm',
        usage: { input_tokens: PROMPT - CACHED, cache_read_input_tokens: CACHED, output_tokens: 1 },
      },
    }),
    anthropicEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    anthropicEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello' } }),
    anthropicEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ' world' } }),
  ],
  'google-generate': [
    geminiFrame('Hello', {
      promptTokenCount: PROMPT,
      cachedContentTokenCount: CACHED,
      totalTokenCount: PROMPT,
    }),
    geminiFrame(' world'),
  ],
}

function worldOf(wire: string, frames: readonly Frame[]): Promise<World> {
  return startWorld({
    provider: stream(frames),
    config(scripted) {
      const config = standardConfig(scripted)
      const { acme } = config['providers'] as { acme: object }
      return { ...config, providers: { acme: { ...acme, wire } } }
    },
  })
}

describe('of an answer that its caller leaves the prompt is charged as reported, the output as counted', () => {
  for (const [wire, frames] of Object.entries(ANSWERS)) {
    test.concurrent(wire, async () => {
      await using world = await worldOf(wire, [...frames, hang()])
      const caller = await openStream(world)
      await caller.until(' world')
      caller.leave()
      await world.settled()
      const receipt = await onlyReceipt(world)
      expect(receipt).toMatchObject({
        ending: 'client_left',
        usage: {
          prompt_tokens: PROMPT,
          cached_tokens: CACHED,
          completion_tokens: COUNTED_HELLO_WORLD,
          source: 'estimated',
        },
      })
      expectLinesExplainCharge(receipt)
      await expectChargedOnce(world, CHARGE)
    })
  }
})
