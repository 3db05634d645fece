import { expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { settingsOf } from '../../test/support/settings.ts'
import { testRoute } from '../../test/support/testRoute.ts'
import type { Json } from '../core/json.ts'
import { encodeTargetOf } from '../upstream/route.ts'

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** For each known model what the values of its request say of each effort: its words and numbers. */
function sentEfforts(providers: string): Record<string, string> {
  const settings = settingsOf(`providers: { ${providers} }\nmodels: all`)
  return Object.fromEntries(
    settings.models.flatMap((model) =>
      model.targets.map((target) => {
        const provider = settings.providers.get(target.provider)?.provider
        if (provider === undefined) throw new Error(`no provider ${target.provider}`)
        const route = { ...testRoute({ model, provider }), target }
        const sent = EFFORTS.map((reasoningEffort) => {
          const request = chatRequest({ reasoningEffort, maxTokens: 32_000 })
          const { body } = route.format.client.encodeRequest(request, encodeTargetOf(route, request))
          const { thinking, output_config, reasoning_effort, generationConfig } = body
          const { thinkingConfig } = (generationConfig ?? {}) as { thinkingConfig?: Json }
          return leavesOf([thinking, output_config, reasoning_effort, thinkingConfig]).join(' ') || '-'
        })
        return [model.id, sent.join(', ')]
      }),
    ),
  )
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : []
}

const ADAPTIVE = 'adaptive low, adaptive low, adaptive medium, adaptive high, adaptive xhigh, adaptive max'
const ENABLED = 'enabled 1024, enabled 2048, enabled 8192, enabled 24576, enabled 25600, enabled 25600'
const BUDGET = '512, 1024, 8192, 24576, 24576, 24576'

test('every known model with a choice of controls is sent each effort by its own', () => {
  expect(sentEfforts('anthropic: { api_key: k }, google: { api_key: k }')).toEqual({
    'anthropic/claude-fable-5': `low, ${ADAPTIVE}`,
    'anthropic/claude-opus-5-5': `low, ${ADAPTIVE}`,
    'anthropic/claude-opus-5': `disabled, ${ADAPTIVE}`,
    'anthropic/claude-opus-4-8': `disabled, ${ADAPTIVE}`,
    'anthropic/claude-opus-4-7': `disabled, ${ADAPTIVE}`,
    'anthropic/claude-opus-4-6': `disabled, ${ADAPTIVE}`,
    'anthropic/claude-sonnet-5': `disabled, ${ADAPTIVE}`,
    'anthropic/claude-sonnet-4-6': `disabled, ${ADAPTIVE}`,
    'anthropic/claude-opus-4-5': `-, ${ENABLED}`,
    'anthropic/claude-opus-4-1': `-, ${ENABLED}`,
    'anthropic/claude-sonnet-4-5': `-, ${ENABLED}`,
    'anthropic/claude-haiku-4-5': `-, ${ENABLED}`,
    'google/gemini-3.8-flash': 'LOW, LOW, LOW, MEDIUM, HIGH, HIGH, HIGH',
    'google/gemini-3.5-flash': 'MINIMAL, MINIMAL, LOW, MEDIUM, HIGH, HIGH, HIGH',
    'google/gemini-3.1-flash-lite': 'MINIMAL, MINIMAL, LOW, MEDIUM, HIGH, HIGH, HIGH',
    'google/gemini-3-flash-preview': 'MINIMAL, MINIMAL, LOW, MEDIUM, HIGH, HIGH, HIGH',
    'google/gemini-3.1-pro-preview': 'LOW, LOW, LOW, MEDIUM, HIGH, HIGH, HIGH',
    'google/gemini-2.5-pro': `128, ${BUDGET}`,
    'google/gemini-2.5-flash': `0, ${BUDGET}`,
    'google/gemini-2.5-flash-lite': `0, ${BUDGET}`,
  })
})

test.each([
  ['openai', EFFORTS.join(', ')],
  ['groq', EFFORTS.join(', ')],
  ['mistral', 'none, minimal, low, medium, high, xhigh, xhigh'],
  ['cohere', 'disabled, enabled, enabled, enabled, enabled, enabled, enabled'],
])('every known model of %s is sent each effort alike', (provider, sent) => {
  expect(new Set(Object.values(sentEfforts(`${provider}: { api_key: k }`)))).toEqual(new Set([sent]))
})
