import type { ChatRequest } from '../core/chat/request.ts'
import type { Settings } from '../config/settings.ts'
import { UpstreamError } from '../core/failure.ts'
import { type ProviderProbe, createProbe } from '../gateway/probe.ts'
import type { Platform } from '../platform.ts'
import { createRedact, type Redact } from '../observe/redact.ts'

/** What one provider did with a small request. */
interface ProviderTest {
  readonly provider: string
  readonly model: string
  readonly ok: boolean
  /** Until the answer, or until it failed. */
  readonly durationMs: number
  /** What went wrong, redacted; undefined when it went well. */
  readonly detail: string | undefined
}

/** Sends each provider, or the one that is named, one small request, to a model that it serves here. */
export async function* testProviders(
  settings: Settings,
  platform: Platform,
  name?: string,
): AsyncIterable<ProviderTest> {
  const probe = createProbe(settings, platform)
  const redact = createRedact(probe.secrets)
  try {
    for (const provider of name === undefined ? settings.providers.keys() : [name]) {
      yield await test(provider, { probe, redact, monotonic: platform.monotonic })
    }
  } finally {
    probe.close()
  }
}

interface Tools {
  readonly probe: ProviderProbe
  readonly redact: Redact
  readonly monotonic: Platform['monotonic']
}

async function test(provider: string, { probe, redact, monotonic }: Tools): Promise<ProviderTest> {
  const model = probe.modelOf(provider)
  if (model === undefined) {
    return { provider, model: '', ok: false, durationMs: 0, detail: 'no model is served by it' }
  }
  const startedAt = monotonic()
  const outcome = await probe.call(provider, smallRequest(model)).then(
    () => undefined,
    (error: unknown) => redact(wordsOf(error)),
  )
  const durationMs = monotonic() - startedAt
  return { provider, model, ok: outcome === undefined, durationMs, detail: outcome }
}

function smallRequest(model: string): ChatRequest {
  return {
    model,
    messages: [{ role: 'user', content: 'Reply with the word ok.' }],
    n: 1,
    stream: false,
    includeUsage: false,
    maxTokens: 16,
    extra: {},
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof UpstreamError) return `${error.failure.kind}: ${error.failure.detail}`
  return error instanceof Error ? error.message : String(error)
}
