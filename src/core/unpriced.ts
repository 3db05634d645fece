import type { ChatRequest, ContentPart, Tool } from './chat/request.ts'
import { type Refusal, refuse } from './error.ts'
import { isJsonObject } from './json.ts'

/**
 * What has no price is not sold (docs/billing.md#what-is-not-sold): finds the first thing in a request that
 * providers charge for beside tokens of the usual kinds, or at another rate, for which no price can be configured.
 * Undefined when there is none. Prompt caches are `findLongCache`'s.
 */
export function findUnpriced(request: ChatRequest): Refusal | undefined {
  return unpricedExtra(request) ?? unpricedTool(request) ?? unpricedMessage(request)
}

/** Service tiers at the prices of the list; the others cost more or less. */
const LIST_PRICE_TIERS: readonly unknown[] = ['auto', 'default']

function unpricedExtra({ extra }: ChatRequest): Refusal | undefined {
  for (const name in extra) {
    const value = extra[name]
    if (value === null || value === undefined) continue
    switch (name) {
      case 'service_tier':
        if (LIST_PRICE_TIERS.includes(value)) break
        return notSold(name, 'Service tiers other than `auto` and `default` are')
      case 'web_search_options':
        return notSold(name, 'Web search is')
      case 'audio':
        return notSold(name, 'Answers in audio are')
      case 'modalities':
        if (Array.isArray(value) && value.every((modality) => modality === 'text')) break
        return notSold(name, 'Answers other than text are')
      default:
        break
    }
  }
  return undefined
}

/**
 * Tools that a vendor has defined and the caller runs: of Anthropic
 * (https://platform.claude.com/docs/en/docs/agents-and-tools/tool-use/bash-tool), and of OpenAI (`Tool` of openai 6.49.0).
 */
const RUN_BY_CALLER = /^(?:(?:bash|memory|text_editor)_\d{8}|local_shell|shell|apply_patch)$/

/** OpenAI runs a shell in a container where one is named (`FunctionShellTool.environment` of openai 6.49.0). */
function isRunByCaller({ type, environment }: Tool): boolean {
  if (!RUN_BY_CALLER.test(type)) return false
  const isNowhereElse = environment === undefined || environment === null
  return isNowhereElse || (isJsonObject(environment) && environment.type === 'local')
}

/** A tool that the caller itself runs costs nothing beside tokens; others the provider runs, and charges for. */
function unpricedTool({ tools = [] }: ChatRequest): Refusal | undefined {
  for (const [i, tool] of tools.entries()) {
    if (tool.type !== 'function' && tool.type !== 'custom' && !isRunByCaller(tool)) {
      return notSold(`tools[${i}].type`, 'Tools that a provider runs are')
    }
  }
  return undefined
}

function unpricedMessage({ messages }: ChatRequest): Refusal | undefined {
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i]
    if (!message) continue
    if (message.audio !== undefined && message.audio !== null) return notSold(`messages[${i}].audio`, AUDIO)
    if (typeof message.content !== 'object' || message.content === null) continue
    for (const [j, part] of message.content.entries()) {
      const refusal = unpricedPart(part, `messages[${i}].content[${j}]`)
      if (refusal) return refusal
    }
  }
  return undefined
}

const AUDIO = 'Audio is'

function unpricedPart(part: ContentPart, param: string): Refusal | undefined {
  switch (part.type) {
    case 'input_audio':
    case 'audio_url':
      return notSold(`${param}.type`, AUDIO)
    case 'image_url':
      if (isAudioUrl(part.image_url, 'url')) return notSold(`${param}.image_url.url`, AUDIO)
      break
    case 'file':
      if (isAudioUrl(part.file, 'file_data')) return notSold(`${param}.file.file_data`, AUDIO)
      break
    default:
      break
  }
  return undefined
}

/** Providers that tell media by their type take audio as any other file. */
function isAudioUrl(holder: unknown, field: string): boolean {
  const url: unknown = isRecord(holder) ? holder[field] : undefined
  return typeof url === 'string' && /^\s*data:audio\//i.test(url)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function notSold(param: string, what: string): Refusal {
  return refuse('invalid_request', `${what} not offered, because this gateway has no price for that.`, {
    param,
  })
}
