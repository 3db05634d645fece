import type { Provider } from './provider.ts'
import type { TimeoutsInForce } from './timeouts.ts'

/** A provider of this installation: its row, its credentials, its timeouts. */
export interface ConfiguredProvider {
  /** The name in the configuration; targets refer to it. */
  readonly name: string
  /** Its row, with the base URL and quirks that the configuration settled. */
  readonly provider: Provider
  /** Tried in turn when one is cooled or refused; empty only when the provider needs none. */
  readonly credentials: readonly Credential[]
  /** Sent with every call, beside what authenticates it; lowercase names. */
  readonly headers?: Readonly<Record<string, string>>
  /** Added to every call's URL (`api-version` of classic Azure deployments). */
  readonly query?: Readonly<Record<string, string>>
  readonly timeouts: TimeoutsInForce
  /** Requests may name what was uploaded to the operator's account (`file_id`). */
  readonly allowAccountNames?: true
  /** Request fields that pass to this provider in a native lane although no list has them. */
  readonly allowFields?: readonly string[]
}

/** A secret that opens a provider. `name` is for logs and the admin API: `openai#1`. */
export type Credential =
  | { readonly kind: 'key'; readonly name: string; readonly key: string }
  | {
      readonly kind: 'aws'
      readonly name: string
      readonly accessKeyId: string
      readonly secretAccessKey: string
      readonly sessionToken?: string
      readonly region: string
    }
  | {
      readonly kind: 'google-service-account'
      readonly name: string
      readonly clientEmail: string
      readonly privateKey: string
    }
