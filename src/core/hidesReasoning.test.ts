import { expect, test } from 'bun:test'
import { testModel } from '../../test/support/testRoute.ts'
import { hidesReasoning } from './hidesReasoning.ts'
import type { RequestTraits } from './traits.ts'

const PLAIN: RequestTraits = { model: 'm', n: 1, stream: true, includeUsage: false, extra: {} }

test.each([
  ['always', {}, true],
  ['by_default', {}, true],
  ['by_default', { reasoningEffort: 'none' }, false],
  ['on_request', {}, false],
  ['on_request', { reasoningEffort: 'none' }, false],
  ['on_request', { reasoningEffort: 'low' }, true],
  ['on_request', { reasons: true }, true],
  [undefined, { reasoningEffort: 'high', reasons: true }, false],
] as const)('a model that reasons out of sight %s, asked %p: %p', (hiddenReasoning, asked, hidden) => {
  const model = testModel({ id: 'acme/model', ...(hiddenReasoning && { hiddenReasoning }) })
  expect(hidesReasoning({ ...PLAIN, ...asked }, model)).toBe(hidden)
})
