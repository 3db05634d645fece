import type { Settings } from '../config/settings.ts'
import { type ProviderView, providerView } from '../operations/provider.ts'
import type { RoutingHealth } from '../upstream/routing/health.ts'

/** Every provider as it is configured, with what the router knows of it. */
export function providerViews(settings: Settings, { targets, blocks }: RoutingHealth): ProviderView[] {
  return Array.from(settings.providers.values(), ({ name, provider, credentials: own }) =>
    providerView({
      id: name,
      displayName: provider.displayName,
      wire: provider.wire,
      baseUrl: provider.baseUrl,
      targets: targets.filter((target) => target.provider === name),
      credentials: own.map((credential) => credential.name),
      blocks: blocks.filter((block) => block.provider === name),
    }),
  )
}
