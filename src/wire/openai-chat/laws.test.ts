import * as fc from 'fast-check'
import {
  anyText,
  plainChoices,
  plainMessages,
  requestOf,
  responseOf,
  someFields,
  toolCalls,
  toolMessages,
  tools,
} from '../../../test/support/chatArbitraries.ts'
import { describeCodecLaws } from '../../../test/support/codecLaws.ts'
import type { ChatRequest, Message } from '../../core/chat/request.ts'
import type { Choice } from '../../core/answer/wholeAnswer.ts'
import { openAiChat } from './openAiChat.ts'

const richMessages: fc.Arbitrary<readonly Message[]> = anyText.map((text) => [
  { role: 'developer', content: [{ type: 'text', text }] },
  {
    role: 'user',
    name: 'ada',
    content: [
      { type: 'text', text, prompt_cache_breakpoint: { mode: 'explicit' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
    ],
  },
  { role: 'assistant', content: null, refusal: text, unknown_field: { kept: [1, null] } },
  { role: 'function', name: 'legacy', content: text },
])

const fields = fc
  .tuple(
    someFields(
      'maxTokens',
      'temperature',
      'topP',
      'frequencyPenalty',
      'presencePenalty',
      'stop',
      'seed',
      'user',
      'parallelToolCalls',
    ),
    fc.record(
      {
        n: fc.integer({ min: 1, max: 128 }),
        tools,
        toolChoice: fc.constantFrom('none' as const, 'auto' as const, 'required' as const),
        responseFormat: fc.constantFrom({ type: 'json_object' }, { type: 'text' }),
        logprobs: fc.boolean(),
        topLogprobs: fc.nat(20),
        reasoningEffort: fc.constantFrom('low', 'high'),
        promptCacheKey: anyText,
        extra: fc.constantFrom({}, { metadata: { a: 'b' }, store: false }, { logit_bias: { '50256': -100 } }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  )
  .map(([common, own]) => whole({ ...common, ...own }))

/** Without what says something of a field that is absent: no caller's request has it. */
function whole<Request extends Partial<ChatRequest>>(request: Request): Request {
  const copy: { -readonly [Field in keyof Request]: Request[Field] } = { ...request }
  if (copy.tools === undefined) {
    delete copy.toolChoice
    delete copy.parallelToolCalls
  }
  if (copy.logprobs !== true) delete copy.topLogprobs
  return copy
}

const richChoices: fc.Arbitrary<Omit<Choice, 'index'>> = fc.oneof(
  plainChoices,
  fc.tuple(anyText, anyText, toolCalls).map(([content, thought, calls]) => ({
    message: {
      role: 'assistant' as const,
      content,
      reasoning_content: thought,
      reasoning_details: [{ type: 'reasoning.text', text: thought, signature: 'c2ln' }],
      tool_calls: calls,
    },
    finishReason: 'tool_calls' as const,
    extra: { content_filter_results: { hate: { filtered: false } } },
  })),
  anyText.map((refusal) => ({
    message: { role: 'assistant' as const, content: null, refusal },
    finishReason: 'stop' as const,
  })),
  anyText.map((content) => ({
    message: {
      role: 'assistant' as const,
      content,
      annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.com', title: content } }],
      unknown_field: { kept: true },
    },
    finishReason: 'stop' as const,
    logprobs: { content: [{ token: content, logprob: -0.5, bytes: null, top_logprobs: [] }], refusal: null },
  })),
  anyText.map((text) => ({
    message: {
      role: 'assistant' as const,
      content: null,
      function_call: { name: 'legacy', arguments: JSON.stringify({ text }) },
    },
    finishReason: 'function_call' as const,
  })),
)

describeCodecLaws(openAiChat, openAiChat.server, {
  request: requestOf(fc.oneof(plainMessages, toolMessages, richMessages), fields),
  response: responseOf(
    richChoices,
    3,
    fc.constantFrom({}, { service_tier: 'default', system_fingerprint: 'fp_1' }),
  ),
})
