import { describe, expect, test } from 'bun:test'
import { chatRequest, usageOf } from '../../test/support/chatSamples.ts'
import { scriptedCalls } from '../../test/support/scriptedCalls.ts'
import { answers, openaiCompletion, openaiUsage, respond } from '../../test/support/scriptedProvider.ts'
import type { AnswerEvent } from '../core/answer/event.ts'
import type { WorkspaceId } from '../core/id.ts'
import type { Provider } from '../providers/provider.ts'
import { openai } from '../providers/openai.ts'
import { xai } from '../providers/xai.ts'
import { createAnswerBudget } from './answerBudget.ts'
import { callStream, callWhole } from './call.ts'
import type { CallOptions } from './send.ts'
import { testRoute } from '../../test/support/testRoute.ts'

const calls = scriptedCalls()

const usage = openaiUsage(9, 400, { completion_tokens_details: { reasoning_tokens: 300 } })

/** A provider that reports 400 completion tokens and 300 of reasoning, and how to call it. */
async function startReasoning(row: Provider): Promise<CallOptions> {
  await calls.play(answers({ pieces: ['Hello'], usage }))
  return {
    route: testRoute({ provider: { ...row, baseUrl: calls.provider.baseUrl }, http: calls.client }),
    credential: undefined,
    authorize: (_route, _credential, { headers }) => headers,
    answers: createAnswerBudget(
      () => Infinity,
      () => undefined,
    ),
    completionId: 'chatcmpl-1',
    workspaceId: 'ws_1' as WorkspaceId,
    signal: new AbortController().signal,
    onSent: () => undefined,
    onDropped: () => undefined,
    onReportBefore: () => undefined,
    onUnknownFinish: () => undefined,
  }
}

describe.each([
  ['xAI reports reasoning beside the completion: both count', xai, 700],
  ['OpenAI reports reasoning as part of the completion: it counts once', openai, 400],
])('%s', (_, row, completionTokens) => {
  test('in a whole answer', async () => {
    const response = await callWhole(chatRequest(), await startReasoning(row))
    expect(response.usage).toEqual(usageOf(9, completionTokens, { reasoningTokens: 300 }))
  })

  test('in a streamed answer', async () => {
    const stream = await callStream(chatRequest({ stream: true }), await startReasoning(row))
    const events: AnswerEvent[] = []
    await new Promise<void>((resolve) =>
      stream.consume({ events: (more) => void events.push(...more), done: resolve }),
    )
    const counted = usageOf(9, completionTokens, { reasoningTokens: 300 })
    expect(events.filter(({ type }) => type === 'usage')).toEqual([{ type: 'usage', usage: counted }])
  })

  test('in a streamed call that is answered with one JSON body', async () => {
    const options = await startReasoning(row)
    calls.provider.play(respond({ body: openaiCompletion('Hello', { usage }) }))
    const stream = await callStream(chatRequest({ stream: true }), options)
    const events: AnswerEvent[] = []
    await new Promise<void>((resolve) =>
      stream.consume({ events: (more) => void events.push(...more), done: resolve }),
    )
    expect(events.at(-1)).toEqual({
      type: 'usage',
      usage: usageOf(9, completionTokens, { reasoningTokens: 300 }),
    })
  })
})
