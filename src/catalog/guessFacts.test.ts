import { expect, test } from 'bun:test'
import type { ModelFacts } from '../core/modelFacts.ts'
import { knownProvider } from '../providers/index.ts'
import { WIRE_FORMATS, type WireFormatId } from '../wire/formats.ts'
import { guessFacts } from './guessFacts.ts'
import { KNOWN_MODELS } from './known.ts'
import {
  ADAPTIVE,
  ADAPTIVE_ALWAYS,
  BUDGET,
  BUDGET_OF_PRO,
  LEVELS,
  LEVELS_OF_FIRST_PRO,
  LEVELS_FROM_LOW,
} from './reasoning.ts'

const NO_PREFILL = { refusesPrefill: true } as const
const AT_TOP = { systemInPlace: false } as const
const CLAUDE: [name: string, facts: ModelFacts][] = [
  ['claude-2.1', AT_TOP],
  ['claude-3-opus-20240229', AT_TOP],
  ['claude-3-5-sonnet-20241022', AT_TOP],
  ['claude-3-7-sonnet-latest', { reasoning: BUDGET, ...AT_TOP }],
  ['claude-sonnet-4-20250514', { reasoning: BUDGET, ...AT_TOP }],
  ['claude-opus-4-1', { reasoning: BUDGET, ...AT_TOP }],
  ['claude-opus-4-5-20251101', { reasoning: BUDGET, ...AT_TOP }],
  ['anthropic/claude-opus-4.5', { reasoning: BUDGET, ...AT_TOP }],
  ['claude-opus-4-6', { reasoning: ADAPTIVE, ...NO_PREFILL, ...AT_TOP }],
  ['eu.anthropic.claude-opus-4-6-v1', { reasoning: ADAPTIVE, ...NO_PREFILL, ...AT_TOP }],
  ['claude-sonnet-5', { reasoning: ADAPTIVE, ...NO_PREFILL }],
  ['claude-opus-10', { reasoning: ADAPTIVE, ...NO_PREFILL }],
  ['claude-sonnet-5-5', { reasoning: ADAPTIVE_ALWAYS, ...NO_PREFILL }],
  ['claude-opus-5-5-20261001', { reasoning: ADAPTIVE_ALWAYS, ...NO_PREFILL }],
  ['claude-fable-5-2', { reasoning: ADAPTIVE_ALWAYS, ...NO_PREFILL }],
  // A name that says nothing is that of a deployment.
  ['claude-opus-latest', { reasoning: ADAPTIVE }],
  ['my-deployment', { reasoning: ADAPTIVE }],
]

const ONE = { formatOrTools: true } as const
const SIGNED = { requiresSignedCalls: true } as const
const GEMINI: [name: string, facts: ModelFacts][] = [
  ['gemini-pro', { reasoning: LEVELS_FROM_LOW, ...SIGNED }],
  ['gemini-1.5-pro-002', ONE],
  ['gemini-2.0-flash', ONE],
  ['gemini-2.5-flash-preview-09-2025', { reasoning: BUDGET, ...ONE }],
  ['gemini-2.5-pro', { reasoning: BUDGET_OF_PRO, ...ONE }],
  ['models/gemini-2.5-pro', { reasoning: BUDGET_OF_PRO, ...ONE }],
  ['gemini-3-flash', { reasoning: LEVELS, ...SIGNED }],
  ['gemini-3-pro', { reasoning: LEVELS_OF_FIRST_PRO, ...SIGNED }],
  ['gemini-3-pro-image', { reasoning: LEVELS_OF_FIRST_PRO, ...SIGNED }],
  ['gemini-3.1-pro', { reasoning: LEVELS_FROM_LOW, ...SIGNED }],
  ['gemini-3.5-flash', { reasoning: LEVELS, ...SIGNED }],
  ['gemini-3.5-flash-lite', { reasoning: LEVELS, ...SIGNED, ...NO_PREFILL }],
  ['gemini-3.6-flash', { reasoning: LEVELS, ...SIGNED, ...NO_PREFILL }],
  ['gemini-3.8-flash', { reasoning: LEVELS_FROM_LOW, ...SIGNED, ...NO_PREFILL }],
  ['gemini-3.8-flash-lite', { reasoning: LEVELS, ...SIGNED, ...NO_PREFILL }],
  ['gemini-4-argon', { reasoning: LEVELS_FROM_LOW, ...SIGNED, ...NO_PREFILL }],
  ['gemini-flash-latest', { reasoning: LEVELS_FROM_LOW, ...SIGNED }],
  // Other families say nothing.
  ['gemma-3-27b', {}],
  ['endpoints/123456', {}],
]

test.each<[WireFormatId, string, ModelFacts]>([
  ...CLAUDE.map(([name, facts]): [WireFormatId, string, ModelFacts] => ['anthropic-messages', name, facts]),
  ...GEMINI.map(([name, facts]): [WireFormatId, string, ModelFacts] => ['google-generate', name, facts]),
  // A name is read only in the format of its family: what the other format has is not for it.
  ['anthropic-messages', 'gemini-2.5-pro', { reasoning: ADAPTIVE }],
  ['google-generate', 'claude-opus-4-6', {}],
  // This format sends every model the same.
  ['openai-chat', 'claude-opus-4-6', {}],
  ['bedrock-converse', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', {}],
  ['bedrock-converse', 'us.anthropic.claude-sonnet-4-6', NO_PREFILL],
  ['bedrock-converse', 'anthropic.claude-opus-5-v1:0', NO_PREFILL],
  ['bedrock-converse', 'amazon.nova-pro-v1:0', {}],
  ['mistral-chat', 'mistral-small-latest', { userAfterTool: true }],
  ['mistral-chat', 'ministral-3b-latest', { userAfterTool: true }],
  ['mistral-chat', 'mistral-small-2603', {}],
  ['mistral-chat', 'mistral-medium-latest', {}],
])('in %s, the facts of %s are guessed', (wire, name, facts) => {
  expect(guessFacts(name, WIRE_FORMATS[wire].family)).toEqual(facts)
})

// Where a row and the guess differ, the row applies. None does now.
const ROW_AGAINST_GUESS: Record<string, [row: ModelFacts, guess: ModelFacts]> = {}

test('the guess agrees with the row of every known model but for the exceptions named here', () => {
  const differing: typeof ROW_AGAINST_GUESS = {}
  for (const { id, provider, upstreamModel, facts } of KNOWN_MODELS) {
    const wire = knownProvider(provider)?.wire
    if (wire === undefined) throw new Error(`no provider ${provider}`)
    const guess = guessFacts(upstreamModel, WIRE_FORMATS[wire].family)
    // Nothing in a name says which response formats a model takes, or for certain that it takes instructions among its turns.
    const { responseFormats: _, systemInPlace: __, schemaWithoutDialect: ___, ...guessable } = facts
    const { systemInPlace: ____, ...guessed } = guess
    if (!Bun.deepEquals(guessed, guessable)) differing[id] = [guessable, guessed]
  }
  expect(differing).toEqual(ROW_AGAINST_GUESS)
})
