import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../../../src/core/json.ts'
import { bedrockConverse } from '../../../../src/wire/bedrock-converse/bedrockConverse.ts'
import { deepJson, testRefusedBodies } from '../../codecRefusals.ts'
import { failureOf } from '../../wireFixtures.ts'
import { bedrockServer } from './bedrockServer.ts'

describe('what a server reads', () => {
  const refusals: [string, JsonObject][] = [
    ['messages', { modelId: 'm' }],
    ['modelId', { messages: [{ role: 'user', content: [{ text: 'a' }] }] }],
    ['messages[0].role', { modelId: 'm', messages: [{ role: 'tool', content: [] }] }],
    ['messages[0].content[0]', { modelId: 'm', messages: [{ role: 'user', content: [{ video: {} }] }] }],
    [
      'inferenceConfig.temperature',
      { modelId: 'm', messages: [{ role: 'user', content: [] }], inferenceConfig: { temperature: 1.5 } },
    ],
    [
      'toolConfig.tools[0].toolSpec',
      { modelId: 'm', messages: [{ role: 'user', content: [] }], toolConfig: { tools: [{}] } },
    ],
  ]
  testRefusedBodies(bedrockServer, refusals)

  test('nesting beyond the stack is refused or carried, never thrown', () => {
    const toolUse = { toolUseId: 'a', name: 'look', input: deepJson() }
    const body = { modelId: 'm', messages: [{ role: 'assistant', content: [{ toolUse }] }] }
    expect(bedrockServer.decodeRequest(body)).toHaveProperty('ok')
    const answer = { output: { message: { content: [{ toolUse }] } }, stopReason: 'tool_use' }
    expect(failureOf(() => bedrockConverse.client.decodeResponse(answer))?.kind ?? 'read').toBeString()
  })
})
