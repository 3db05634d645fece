import { createDemoClient } from '../demo/demoClient.ts'
import type { Platform } from '../platform.ts'
import { type Tokenizer, createTokenizer } from '../tokens/tokenizer.ts'
import { createHttpClient } from '../upstream/http/client.ts'
import type { HttpClient } from '../upstream/http.ts'

/** The ways out: to providers over the network, and to the one within. */
export interface Clients {
  readonly http: HttpClient
  readonly demo: HttpClient
  readonly tokenizer: Tokenizer
  close(): void
}

export interface ClientsOptions {
  readonly platform: Platform
  /** Default: a tokenizer in a thread of its own. */
  readonly tokenizer?: Tokenizer | undefined
  /** Receives what should not happen; default: it is not reported. */
  readonly reportError?: (error: unknown) => void
}

export function createClients({
  platform: { now, monotonic, sleep },
  tokenizer = createTokenizer(),
  reportError,
}: ClientsOptions): Clients {
  const http = createHttpClient({ monotonic, ...(reportError && { reportError }) })
  const demo = createDemoClient({ tokenizer, sleep, now })
  return {
    http,
    demo,
    tokenizer,
    close() {
      http.close()
      demo.close()
      tokenizer.close()
    },
  }
}
