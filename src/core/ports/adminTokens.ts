import type { AdminTokenId } from '../id.ts'
import type { Recorder } from './audit.ts'
import type { Once, Repetition } from './once.ts'
import type { Page, PageRequest } from './page.ts'

/** An admin token with a name, beside the one of the configuration. The token itself is never stored. */
export interface AdminToken {
  readonly id: AdminTokenId
  /** Unique among those that are not revoked. */
  readonly name: string
  /** First characters of the token, for people to recognise it: `tga_AB12…`. */
  readonly hint: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly revokedAt: number | null
  /** Up to some seconds old; null: never used. */
  readonly lastUsedAt: number | null
  readonly lastUsedFrom: string | null
}

/** `secretHash`: SHA-256 of the token, lowercase hexadecimal. */
export type NewAdminToken = Pick<AdminToken, 'id' | 'name' | 'hint' | 'createdAt'> & {
  readonly secretHash: string
}

/** That a token was used, and from where. */
export interface TokenUse {
  readonly id: AdminTokenId
  readonly at: number
  readonly address: string | null
}

export interface AdminTokens {
  create(
    token: NewAdminToken,
    once?: Once<AdminToken>,
    record?: Recorder<AdminToken>,
  ): Promise<
    | { readonly kind: 'made'; readonly made: AdminToken }
    /** Another one that is in force has this name. */
    | { readonly kind: 'name_taken'; readonly by: AdminTokenId }
    | Repetition
  >
  token(id: AdminTokenId): Promise<AdminToken | undefined>
  /** Newest first. */
  tokens(page: PageRequest): Promise<Page<AdminToken>>
  /** Revokes at the given moment; a second revocation changes nothing. Undefined when there is no such token. */
  revoke(id: AdminTokenId, at: number, record?: Recorder<AdminToken>): Promise<AdminToken | undefined>
  /** The newest of this name, revoked ones included. */
  named(name: string): Promise<AdminToken | undefined>
  /** By the SHA-256 of the token, revoked ones included: the caller decides. */
  find(secretHash: string): Promise<AdminToken | undefined>
  /** Notes when tokens were used last; each token occurs once. */
  used(uses: readonly TokenUse[]): Promise<void>
}
