import type { BlockList } from 'node:net'
import { doorTokensOf, secretsOf } from '../config/secretsOf.ts'
import type { Settings } from '../config/settings.ts'
import { type Veil, createVeil } from '../core/veil.ts'
import { addressList } from '../http/insider.ts'
import { secretForms } from '../observe/secretForms.ts'

/** The configuration in use, and what is calculated once from it. */
export interface Configuration {
  readonly settings: Settings
  /** Every value that opens something, or may. */
  readonly secrets: readonly string[]
  readonly trustedProxies: BlockList
  /** Hides the tokens of the configuration in use. */
  readonly veil: Veil
  replace(next: Settings): void
}

export function createConfiguration(first: Settings): Configuration {
  let current = calculated(first)
  return {
    get settings() {
      return current.settings
    },
    get secrets() {
      return current.secrets
    },
    get trustedProxies() {
      return current.trustedProxies
    },
    veil: (text) => current.hide(text),
    replace(next) {
      current = calculated(next)
    },
  }
}

function calculated(settings: Settings) {
  return {
    settings,
    secrets: secretsOf(settings),
    trustedProxies: addressList(settings.server.trustedProxies),
    hide: createVeil(doorTokensOf(settings), secretForms),
  }
}
