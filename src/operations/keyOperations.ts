import type { z } from 'zod'
import { GatewayError, refuse } from '../core/error.ts'
import { KEY_PREFIX } from '../core/id.ts'
import type { Key, KeyChange } from '../core/ports/directory.ts'
import { decodeInput, decodeQuery } from './decode.ts'
import { KeyChangeBody, keyUseView, keyView, NewKeyBody, RotationBody } from './key.ts'
import type { OperationDeps } from './localOperations.ts'
import type { Operations } from './operations.ts'
import { listView, PageQuery, pageRequest } from './page.ts'
import { given } from './given.ts'
import { keyIdOf, unknownId, workspaceIdOf } from './id.ts'

type KeyOperations = Pick<Operations, 'createKey' | 'keys' | 'key' | 'updateKey' | 'revokeKey' | 'rotateKey'>

/** Characters of the secret's random part that a hint shows. */
const HINT_LENGTH = 4

export function keyOperations({ store, ids, clock, hash }: OperationDeps): KeyOperations {
  /** Gives the key a secret, stores its hash, and returns the secret: the only time it is known. */
  async function issue(key: Omit<Key, 'id' | 'hint' | 'revokedAt' | 'createdAt'>): Promise<[Key, string]> {
    const secret = ids.secret()
    const issued: Key = {
      ...key,
      id: ids.key(),
      hint: `${secret.slice(0, KEY_PREFIX.length + HINT_LENGTH)}…`,
      revokedAt: null,
      createdAt: clock(),
    }
    const { revokedAt: _revokedAt, ...row } = issued
    const created = await store.directory.createKey({ ...row, secretHash: hash(secret) })
    if (!created) throw unknownId('workspace', key.workspaceId)
    return [issued, secret]
  }

  async function find(id: string): Promise<Key> {
    const key = await store.directory.key(keyIdOf(id))
    if (!key) throw unknownId('key', id)
    return key
  }

  async function endAfter(key: Key, overlapSeconds: number): Promise<Key> {
    const now = clock()
    if (overlapSeconds === 0) return (await store.directory.revokeKey(key.id, now)) ?? key
    const end = now + overlapSeconds * 1000
    if (key.expiresAt !== null && key.expiresAt <= end) return key
    return (await store.directory.updateKey(key.id, { expiresAt: end })) ?? key
  }

  return {
    async createKey(workspaceId, body) {
      const input = decodeInput(NewKeyBody, body)
      const [key, secret] = await issue({
        ...NO_LIMITS,
        ...keyFields(input),
        name: input.name,
        workspaceId: workspaceIdOf(workspaceId),
      })
      return { ...keyView(key, clock()), key: secret }
    },

    async keys(workspaceId, query) {
      const page = pageRequest(decodeQuery(PageQuery, query))
      const id = workspaceIdOf(workspaceId)
      if (!(await store.directory.workspace(id))) throw unknownId('workspace', workspaceId)
      const at = clock()
      return listView(await store.directory.keys(id, page), (key) => keyView(key, at))
    },

    async key(id) {
      const key = await find(id)
      const at = clock()
      return { ...keyView(key, at), used: keyUseView(await store.books.keyStanding(key.id, at)) }
    },

    async updateKey(id, body) {
      const change = keyFields(decodeInput(KeyChangeBody, body))
      const key = await store.directory.updateKey(keyIdOf(id), change)
      if (!key) throw unknownId('key', id)
      return keyView(key, clock())
    },

    async revokeKey(id) {
      if (!(await store.directory.revokeKey(keyIdOf(id), clock()))) throw unknownId('key', id)
    },

    async rotateKey(id, body) {
      const { overlap_seconds } = decodeInput(RotationBody, body)
      const old = await find(id)
      const { status } = keyView(old, clock())
      if (status !== 'active') {
        const message = `The key "${id}" is ${status} and cannot be rotated. Create a new one instead.`
        throw new GatewayError(refuse('invalid_request', message))
      }
      // The new one first: if the second step fails there are two keys, not none.
      const [key, secret] = await issue(old)
      const previous = await endAfter(old, overlap_seconds)
      const at = clock()
      return { ...keyView(key, at), key: secret, previous: keyView(previous, at) }
    },
  }
}

const NO_LIMITS = {
  requestsPerMinute: null,
  requestsPerDay: null,
  monthlySpend: null,
  concurrentRequests: null,
  models: null,
  expiresAt: null,
} as const

function keyFields(input: z.output<typeof KeyChangeBody>): KeyChange {
  return given({
    name: input.name,
    requestsPerMinute: input.requests_per_minute,
    requestsPerDay: input.requests_per_day,
    monthlySpend: input.monthly_spend_usd,
    concurrentRequests: input.concurrent_requests,
    models: input.models,
    expiresAt: input.expires_at,
  })
}
