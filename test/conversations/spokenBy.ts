import type { JsonObject } from '../../src/core/json.ts'
import type { WireFormatId } from '../../src/wire/formats.ts'
import { readRequestPath as readConversePath } from '../support/wireServers/bedrock-converse/path.ts'
import { readRequestPath } from '../support/wireServers/google-generate/path.ts'
import type { Differences } from './difference.ts'
import { ANTHROPIC_DIFFERENCES } from './differences/anthropicMessages.ts'
import { BEDROCK_DIFFERENCES } from './differences/bedrockConverse.ts'
import { COHERE_DIFFERENCES } from './differences/cohereChat.ts'
import { GOOGLE_DIFFERENCES } from './differences/googleGenerate.ts'
import { MISTRAL_DIFFERENCES } from './differences/mistralChat.ts'
import { OPENAI_DIFFERENCES } from './differences/openaiChat.ts'
import { RESPONSES_DIFFERENCES } from './differences/openaiResponses.ts'

/** How the conversations are held with a format. */
interface Speaker {
  /** The provider and the model that are asked; the provider is a row, or like one. */
  readonly provider: string
  readonly like?: string
  readonly model: string
  /** What the path of a call says of the request, where the body does not. Undefined for a path of another call. */
  readonly fromPath: (path: string) => JsonObject | undefined
  /** All that the format is permitted to do otherwise. What is not here fails a test, and so does what is here in vain. */
  readonly differences: Differences
}

export const SPOKEN_BY: Readonly<Record<WireFormatId, Speaker>> = {
  'openai-chat': {
    provider: 'openai',
    model: 'gpt-4.1',
    fromPath: (path) => (path === '/v1/chat/completions' ? {} : undefined),
    differences: OPENAI_DIFFERENCES,
  },
  'openai-responses': {
    provider: 'openai-responses',
    like: 'openai',
    model: 'gpt-5.5',
    fromPath: (path) => (path === '/v1/responses' ? {} : undefined),
    differences: RESPONSES_DIFFERENCES,
  },
  'anthropic-messages': {
    provider: 'anthropic',
    model: 'claude-sonnet-4-6',
    fromPath: (path) => (path === '/v1/messages' ? {} : undefined),
    differences: ANTHROPIC_DIFFERENCES,
  },
  'google-generate': {
    provider: 'google',
    model: 'gemini-3.5-flash',
    fromPath: (path) => {
      const said = readRequestPath(path)
      return said && { ...said }
    },
    differences: GOOGLE_DIFFERENCES,
  },
  'bedrock-converse': {
    provider: 'bedrock',
    model: 'us.anthropic.claude-sonnet-4-6',
    fromPath: (path) => {
      const said = readConversePath(path.replace(/^\/v1/, ''))
      return said && { ...said }
    },
    differences: BEDROCK_DIFFERENCES,
  },
  'mistral-chat': {
    provider: 'mistral',
    model: 'mistral-medium-2604',
    fromPath: (path) => (path === '/v1/chat/completions' ? {} : undefined),
    differences: MISTRAL_DIFFERENCES,
  },
  'cohere-chat': {
    provider: 'cohere',
    model: 'command-a-03-2025',
    fromPath: (path) => (path === '/v1/chat' ? {} : undefined),
    differences: COHERE_DIFFERENCES,
  },
}

export const FORMATS = Object.keys(SPOKEN_BY) as WireFormatId[]
