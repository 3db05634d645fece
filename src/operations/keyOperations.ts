import type { z } from 'zod'
import { GatewayError, refuse } from '../core/error.ts'
import { KEY_PREFIX } from '../core/id.ts'
import type { Key, KeyChange, NewKey, Rotated } from '../core/ports/directory.ts'
import { decodeInput, decodeQuery } from './decode.ts'
import {
  type CreatedKeyView,
  KeyChangeBody,
  keyUseView,
  keyView,
  NewKeyBody,
  type RotatedKeyView,
  RotationBody,
} from './key.ts'
import type { OperationDeps } from './deps.ts'
import { checkModels } from './knownModels.ts'
import { onceOf, repeatedAnswer } from './once.ts'
import type { Operations } from './operations.ts'
import type { Act } from './act.ts'
import { recording } from './recording.ts'
import { hintOf } from './hint.ts'
import { PageQuery, pageRequest, readList } from './page.ts'
import { keyRefusalsView } from './refusedCall.ts'
import { given } from './given.ts'
import { keyIdOf, unknownId, workspaceIdOf } from './id.ts'

type KeyOperations = Pick<Operations, 'createKey' | 'keys' | 'key' | 'updateKey' | 'revokeKey' | 'rotateKey'>

export function keyOperations(deps: OperationDeps): KeyOperations {
  const { store, ids, clock, hash, models } = deps

  function recorded(act: Act, action: 'key.create' | 'key.update' | 'key.revoke') {
    const at = clock()
    return recording<Key>(act, deps, (after, before) => ({
      action,
      workspaceId: after.workspaceId,
      subject: after.id,
      before: before && keyView(before, at),
      after: keyView(after, at),
    }))
  }

  /** A key's secret, what is stored of it, and its id. The secret is known only now. */
  function draw(): { secret: string; issued: Pick<NewKey, 'id' | 'hint' | 'secretHash'> } {
    const secret = ids.secret()
    const hint = hintOf(secret, KEY_PREFIX)
    return { secret, issued: { id: ids.key(), hint, secretHash: hash(secret) } }
  }

  async function find(id: string): Promise<Key> {
    if (id.startsWith(KEY_PREFIX)) throw await secretForId(id)
    const key = await store.directory.key(keyIdOf(id))
    if (!key) throw unknownId('key', id)
    return key
  }

  /** Somebody took the secret for the id: it is not said again, and the key that it opens is. */
  async function secretForId(secret: string): Promise<GatewayError> {
    const found = await store.directory.findKey(hash(secret))
    return found
      ? new GatewayError(refuse('not_found', `That is the secret of the key "${found.key.id}": take its id.`))
      : unknownId('key', secret)
  }

  return {
    async createKey(workspaceId, body, act = {}) {
      const input = decodeInput(NewKeyBody, body)
      checkModels(input.models, [], models)
      refusePast(input.expires_at, clock())
      const { secret, issued } = draw()
      const createdAt = clock()
      const viewOf = (key: Key): CreatedKeyView => ({ ...keyView(key, createdAt), key: secret })
      const once = onceOf<Key>(
        { kind: 'create_key', input: { workspaceId, input }, subject: issued.id, holdsSecret: true, viewOf },
        act,
        deps,
      )
      const { record, done } = recorded(act, 'key.create')
      const verdict = await store.directory.createKey(
        {
          ...NO_LIMITS,
          ...keyFields(input),
          ...issued,
          name: input.name,
          workspaceId: workspaceIdOf(workspaceId),
          createdAt,
        },
        once,
        record,
      )
      if (verdict.kind === 'no_workspace') throw unknownId('workspace', workspaceId)
      if (verdict.kind !== 'made') return repeatedAnswer(verdict, 'key', act) as CreatedKeyView
      done()
      return viewOf(verdict.made)
    },

    async keys(workspaceId, query) {
      const page = pageRequest(decodeQuery(PageQuery, query))
      const id = workspaceIdOf(workspaceId)
      if (!(await store.directory.workspace(id))) throw unknownId('workspace', workspaceId)
      const at = clock()
      return readList(store.directory.keys(id, page), (key) => keyView(key, at))
    },

    async key(id) {
      const key = await find(id)
      const at = clock()
      return {
        ...keyView(key, at),
        used: keyUseView(await store.books.keyStanding(key.countersId, at)),
        refusals: keyRefusalsView(await store.refusals.tally(key.id, at)),
      }
    },

    async updateKey(id, body, act = {}) {
      const input = decodeInput(KeyChangeBody, body)
      refusePast(input.expires_at, clock())
      const before = await find(id)
      checkModels(input.models, before.models, models)
      const { record, done } = recorded(act, 'key.update')
      const key = await store.directory.updateKey(before.id, keyFields(input), record)
      if (!key) throw unknownId('key', id)
      done()
      return keyView(key, clock())
    },

    async revokeKey(id, act = {}) {
      const { id: found } = await find(id)
      const { record, done } = recorded(act, 'key.revoke')
      await store.directory.revokeKey(found, clock(), record)
      done()
    },

    async rotateKey(id, body, act = {}) {
      const { overlap_seconds: overlapSeconds } = decodeInput(RotationBody, body)
      const { secret, issued } = draw()
      const at = clock()
      const viewOf = ({ key, previous }: Rotated): RotatedKeyView => ({
        ...keyView(key, at),
        key: secret,
        previous: keyView(previous, at),
      })
      const input = { id, overlapSeconds }
      const once = onceOf<Rotated>(
        { kind: 'rotate_key', input, subject: issued.id, holdsSecret: true, viewOf },
        act,
        deps,
      )
      const rotation = { id: keyIdOf(id), at, overlapMs: overlapSeconds * 1000, successor: issued }
      const { record, done } = recording<Rotated, Key>(act, deps, ({ previous }, before) => ({
        action: 'key.rotate',
        workspaceId: previous.workspaceId,
        subject: previous.id,
        before: before && keyView(before, at),
        after: keyView(previous, at),
      }))
      const verdict = await store.directory.rotateKey(rotation, once, record)
      switch (verdict.kind) {
        case 'made':
          done()
          return viewOf(verdict.made)
        case 'unknown':
          throw id.startsWith(KEY_PREFIX) ? await secretForId(id) : unknownId('key', id)
        case 'ended': {
          const message = `The key "${id}" is ${verdict.status} and cannot be rotated. Create a new one instead.`
          throw new GatewayError(refuse('invalid_request', message))
        }
        case 'replaced': {
          const message = `The key "${id}" has been rotated before: its successor is "${verdict.by}". Rotate that one instead.`
          throw new GatewayError(refuse('already_rotated', message))
        }
        default:
          return repeatedAnswer(verdict, 'key', act) as RotatedKeyView
      }
    },
  }
}

function refusePast(expiresAt: number | null | undefined, now: number): void {
  if (expiresAt === null || expiresAt === undefined || expiresAt > now) return
  const message = 'expires_at: is in the past. To end a key now, revoke it.'
  throw new GatewayError(refuse('invalid_request', message, { param: 'expires_at' }))
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
