import { expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { testModel, testRoute } from '../../test/support/testRoute.ts'
import { encodeTargetOf } from './route.ts'

test('an encoder knows whether the model reasons out of sight', () => {
  const targetOf = (route: Parameters<typeof testRoute>[0]) => encodeTargetOf(testRoute(route), chatRequest())
  expect(targetOf({ model: testModel({ hiddenReasoning: 'by_default' }) }).hiddenReasoning).toBe('by_default')
  expect(targetOf({ model: testModel({}) })).not.toHaveProperty('hiddenReasoning')
})
