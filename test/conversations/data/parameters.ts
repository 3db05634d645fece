import { type Conversation, asks } from '../conversation.ts'

/** Fields of the request that shape or label the call. */
export const PARAMETER_CONVERSATIONS: readonly Conversation[] = [
  asks('temperature: 0', { temperature: 0 }),
  asks('temperature above 1', { temperature: 2 }),
  asks('top_p', { top_p: 0.5 }),
  asks('temperature and top_p', { temperature: 0.5, top_p: 0.5 }),
  asks('top_p: 1', { top_p: 1 }),
  asks('temperature: 0 and top_p', { temperature: 0, top_p: 0.5 }),
  asks('temperature beside reasoning_effort', { temperature: 0.5, reasoning_effort: 'high' }),
  asks('frequency_penalty', { frequency_penalty: 0.5 }),
  asks('presence_penalty', { presence_penalty: 0.5 }),
  asks('both penalties', { frequency_penalty: 0.5, presence_penalty: 0.25 }),
  asks('negative penalties', { frequency_penalty: -0.5 }),
  asks('penalties above 1', { frequency_penalty: 1.5 }),
  asks('seed', { seed: 42 }),
  asks('a negative seed', { seed: -1 }),
  asks('user', { user: 'ada' }),
  asks('safety_identifier', { safety_identifier: 'ada' }),
  asks('prompt_cache_key', { prompt_cache_key: 'sea' }),
  asks('service_tier', { service_tier: 'default' }),
  asks('logit_bias', { logit_bias: { '50256': -100 } }),
  asks('metadata and store', { metadata: { trip: '7' }, store: true }),
  asks('verbosity', { verbosity: 'low' }),
  asks('prediction', { prediction: { type: 'content', content: 'The sea is blue.' } }),
  asks('web_search_options', { web_search_options: { search_context_size: 'low' } }),
  asks('answers in audio', { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }),
]
