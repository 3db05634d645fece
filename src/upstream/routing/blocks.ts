import type { Block, BlockFilter } from './block.ts'
import type { RouteState } from './routeStates.ts'
import type { Scope, ScopedBlock } from './scope.ts'

/** A circuit or a cooldown, and what a block of it is about. */
interface Blockable {
  readonly about: Pick<Block, 'what' | 'provider' | 'upstreamModel' | 'credential'>
  readonly of: { blocks(now: number): ScopedBlock[]; lift(scope: Scope): void }
}

/** What is blocked now, each thing once, though several models share a target and several targets a credential. */
export function blocksOf(states: readonly RouteState[], now: number): Block[] {
  return blockables(states).flatMap(({ about, of }) =>
    of.blocks(now).map((block) => ({ ...about, ...block })),
  )
}

/** The blocks of these that the filter means. */
export function matchingBlocks(
  blocks: readonly Block[],
  { provider, upstreamModel, scope }: BlockFilter,
): Block[] {
  return blocks.filter(
    (block) =>
      block.provider === provider &&
      (upstreamModel === undefined || block.upstreamModel === upstreamModel) &&
      (scope === undefined || block.scope === scope),
  )
}

/** Lifts these blocks. */
export function liftBlocks(states: readonly RouteState[], blocks: readonly Block[]): void {
  for (const { about, of } of blockables(states)) {
    const own = blocks.filter(
      ({ what, provider, upstreamModel, credential }) =>
        what === about.what &&
        provider === about.provider &&
        upstreamModel === about.upstreamModel &&
        credential === about.credential,
    )
    for (const { scope } of own) of.lift(scope)
  }
}

function blockables(states: readonly RouteState[]): Blockable[] {
  const found = new Map<Blockable['of'], Blockable>()
  for (const { route, target, credentials } of states) {
    const provider = route.provider.name
    const { upstreamModel } = route.target
    const add = (of: Blockable['of'], about: Omit<Blockable['about'], 'provider'>): void =>
      void found.set(of, { of, about: { provider, ...about } })
    add(target.breaker, { what: 'circuit', upstreamModel, credential: undefined })
    add(target.cooldown, { what: 'target', upstreamModel, credential: undefined })
    for (const { credential, everywhere, here } of credentials) {
      const name = credential?.name
      add(everywhere, { what: 'credential', upstreamModel: undefined, credential: name })
      add(here, { what: 'credential', upstreamModel, credential: name })
    }
  }
  return [...found.values()]
}
