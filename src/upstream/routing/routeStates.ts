import { type Route, routeName } from '../route.ts'
import type { RoutedCall } from '../router.ts'
import type { CircuitChange } from './circuitChange.ts'
import { type CredentialState, cooldownIn, credentialKey } from './credentialState.ts'
import type { ScopedCooldown } from './scopedCooldown.ts'
import { type TargetState, createTargetState } from './targetState.ts'

/** A route with everything remembered of it, found without building a name. */
export interface RouteState {
  readonly route: Route
  readonly target: TargetState
  readonly credentials: readonly CredentialState[]
}

/** The memory of a process: one entry per target, per credential, and per both together. */
export class RouteStates {
  readonly #targets = new Map<string, TargetState>()
  readonly #credentials = new Map<string, ScopedCooldown>()
  /** Calls under way keep what they began with, also when a reload has replaced their route. */
  readonly #known = new WeakMap<Route, RouteState>()
  readonly #onCircuitChange: (route: Route, change: CircuitChange) => void
  #current: readonly Route[] = []

  constructor(onCircuitChange: (route: Route, change: CircuitChange) => void) {
    this.#onCircuitChange = onCircuitChange
  }

  of(route: Route): RouteState {
    const found = this.#known.get(route)
    if (found) return found
    const target = this.#targetOf(route)
    const state = { route, target, credentials: this.#credentialsOf(route, target) }
    this.#known.set(route, state)
    return state
  }

  credentialOf(call: RoutedCall): CredentialState | undefined {
    return this.of(call.route).credentials.find(({ credential }) => credential === call.credential)
  }

  /** Those of the current configuration. */
  all(): RouteState[] {
    return this.#current.map((route) => this.of(route))
  }

  /** Another configuration is used from now on: what it does not name is forgotten. */
  keep(routes: readonly Route[]): void {
    this.#current = routes
    const names = new Set<string>()
    const keys = new Set<string>()
    for (const route of routes) {
      const { provider } = route
      names.add(routeName(route))
      for (const credential of [undefined, ...provider.credentials])
        keys.add(credentialKey(provider.name, credential))
    }
    for (const name of this.#targets.keys()) if (!names.has(name)) this.#targets.delete(name)
    for (const places of [this.#credentials, ...[...this.#targets.values()].map((target) => target.places)])
      for (const key of places.keys()) if (!keys.has(key)) places.delete(key)
  }

  #targetOf(route: Route): TargetState {
    const name = routeName(route)
    const found = this.#targets.get(name)
    if (found && found.baseUrl === route.provider.provider.baseUrl) return found
    const fresh = createTargetState(route, this.#onCircuitChange)
    this.#targets.set(name, fresh)
    return fresh
  }

  #credentialsOf({ provider }: Route, { places }: TargetState): CredentialState[] {
    const own = provider.credentials.length === 0 ? [undefined] : provider.credentials
    return own.map((credential) => {
      const key = credentialKey(provider.name, credential)
      return {
        credential,
        everywhere: cooldownIn(this.#credentials, key),
        here: cooldownIn(places, key),
      }
    })
  }
}
