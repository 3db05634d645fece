import { describe, expect, test } from 'bun:test'
import { failureCode } from './failureCode.ts'

describe('a code that providers document is kept', () => {
  test.each([
    'context_length_exceeded',
    'insufficient_quota',
    'rate_limit_exceeded',
    'invalid_api_key',
    'model_not_found',
    'tokens',
    'unsupported_country_region_territory',
    'string_above_max_length',
    'array_above_max_length',
    'invalid_base64',
    'image_content_policy_violation',
    'billing_hard_limit_reached',
    'account_deactivated',
    'engine_overloaded',
    'slow_down',
    'flex_tier_capacity_exceeded',
    'tool_use_failed',
    'json_validate_failed',
    'DeploymentNotFound',
    'ResponsibleAIPolicyViolation',
    'OperationNotSupported',
    'BadRequestError',
    'ContextWindowExceededError',
    'overloaded_error',
    'linked_organization_spend_limit_reached',
    'RESOURCE_EXHAUSTED',
    'API_KEY_INVALID',
    'ThrottlingException',
    'ValidationException',
    'UnrecognizedClientException',
    'ModelStreamErrorException',
    'IncompleteSignatureException',
    'OptInRequired',
    'invalid_request_message',
    'wrong_api_key',
    '1500',
  ])('%s', (code) => expect(failureCode(code)).toBe(code))

  test('the first one counts, a number too', () => {
    expect(failureCode(null, 'of the caller', 'invalid_value', 'server_error')).toBe('invalid_value')
    expect(failureCode(undefined, 1500)).toBe('1500')
  })
})

describe('what could be a prompt, an answer or a key is left out', () => {
  test.each([
    ['a sentence', 'the caller has a secret'],
    ['a sentence in the dress of a code', 'my_neighbour_buried_coins'],
    ['one unknown word beside known ones', 'invalid_marmalade_error'],
    ['an unknown word in a name', 'InvalidMarmaladeException'],
    ['a key', 'sk-proj-abcdEFGH1234567890'],
    ['hexadecimal', '7365637265742077'],
    ['Base64', 'c2VjcmV0IHdvcmRz'],
    ['a percent escape', 'invalid%20request'],
    ['what begins with a separator', '_error'],
    ['what only contains a known word', 'terror'],
    ['a longer number', '12345'],
    ['an HTTP status', 429],
    ['what is longer than any code', `invalid${'_error'.repeat(12)}`],
    ['an empty text', ''],
    ['an object', { code: 'server_error' }],
  ])('%s', (_what, value) => expect(failureCode(value)).toBeUndefined())
})
