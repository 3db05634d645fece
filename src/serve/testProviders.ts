import type { ProviderTest } from '../cli/deps.ts'
import type { Settings } from '../config/settings.ts'

/** Sends each provider one small request. */
export async function* testProviders(settings: Settings): AsyncIterable<ProviderTest> {
  for (const name of settings.providers.keys()) {
    yield await Promise.resolve({
      provider: name,
      model: '',
      ok: false,
      durationMs: 0,
      detail: 'not written yet',
    })
  }
}
