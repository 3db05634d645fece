import { expect } from 'bun:test'
import type { AuditId, RequestId } from '../../src/core/id.ts'
import { nano } from '../../src/core/money.ts'
import { type AuditEntry, KEEP_REFUSED_TOKENS_MS, type Recorder } from '../../src/core/ports/audit.ts'
import { UnknownCursor } from '../../src/core/ports/page.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { contract } from './contract.ts'
import { NOON, createCustomer, ids, newKey } from './customer.ts'

const CALLERS = 10

function entry(change: Partial<AuditEntry> = {}): AuditEntry {
  const at = change.at ?? NOON
  return {
    id: ids.audit(),
    at,
    lastAt: at,
    count: 1,
    action: 'key.update',
    actor: { kind: 'token', id: ids.adminToken(), name: 'ci' },
    address: '203.0.113.7',
    requestId: 'req_1' as RequestId,
    workspaceId: null,
    subject: null,
    changes: { name: { before: 'old', after: 'Zoë "x" \\ 漢' }, models: { before: null, after: ['m'] } },
    ...change,
  }
}

/** A recorder, and what it was asked to write. */
function recorder(change: Partial<AuditEntry>): { record: Recorder<unknown>; asked: AuditEntry[] } {
  const asked: AuditEntry[] = []
  return {
    asked,
    record: () => {
      const made = entry(change)
      asked.push(made)
      return made
    },
  }
}

const entriesOf = async (store: Store, subject: string) =>
  (await store.audit.entries({ limit: 100, subject })).items

contract('the audit log', (given, it) => {
  it('has every change in the step of the change, as it was written', async () => {
    const store = given.store()
    const { directory, books, adminTokens } = store
    const { workspaceId } = await createCustomer(store)
    const key = newKey(workspaceId)
    const made = newKey(workspaceId)
    const token = {
      id: ids.adminToken(),
      name: 'audited',
      hint: 'tga_…',
      secretHash: key.secretHash,
      createdAt: NOON,
    }
    const workspace = await directory.workspace(workspaceId)
    if (!workspace) throw new Error('no workspace')
    const steps: Record<string, (record: Recorder<unknown>) => Promise<unknown>> = {
      'workspace.create': (record) =>
        directory.createWorkspace({ ...workspace, id: ids.workspace() }, undefined, record),
      'workspace.update': (record) => directory.updateWorkspace(workspaceId, { name: 'new' }, record),
      'workspace.credit': (record) =>
        books.credit({
          id: ids.transfer(),
          workspaceId,
          kind: 'topup',
          amount: nano(1n),
          note: null,
          at: NOON,
          idempotencyKey: null,
          record,
        }),
      'key.create': (record) => directory.createKey(key, undefined, record),
      'key.update': (record) => directory.updateKey(key.id, { requestsPerDay: 3 }, record),
      'key.rotate': (record) =>
        directory.rotateKey({ id: key.id, at: NOON, overlapMs: 60_000, successor: made }, undefined, record),
      'key.revoke': (record) => directory.revokeKey(key.id, NOON, record),
      'token.create': (record) => adminTokens.create(token, undefined, record),
      'token.revoke': (record) => adminTokens.revoke(token.id, NOON, record),
      'provider.release': (record) => store.audit.record(record(undefined, undefined), 'released'),
    }
    for (const [action, step] of Object.entries(steps)) {
      const subject = `subject of ${action}`
      const { record, asked } = recorder({ action: action as AuditEntry['action'], subject, workspaceId })
      await step(record)
      expect(await entriesOf(store, subject)).toEqual(asked)
      expect(asked).toHaveLength(1)
    }
  })

  it('has the key before and after, whoever changed it in between', async () => {
    const [here, there] = [given.store(), await given.database().open()]
    try {
      const { workspaceId } = await createCustomer(here)
      const key = newKey(workspaceId, { requestsPerDay: 0 })
      await here.directory.createKey(key)
      await Promise.all(
        Array.from({ length: CALLERS }, (_, i) =>
          (i % 2 === 0 ? here : there).directory.updateKey(
            key.id,
            { requestsPerDay: i + 1 },
            (after, before) =>
              entry({
                subject: key.id,
                changes: { day: { before: before?.requestsPerDay ?? null, after: after.requestsPerDay } },
              }),
          ),
        ),
      )
      const changes = (await entriesOf(here, key.id)).map(({ changes: { day } }) => day)
      expect(changes).toHaveLength(CALLERS)
      const last = await here.directory.key(key.id)
      const befores = new Set(changes.map((day) => day?.before))
      // A chain: each begins where another ended, and the end of one is what is stored.
      expect(befores.size).toBe(CALLERS)
      for (const day of changes)
        if (day?.after !== last?.requestsPerDay) expect(befores.has(day?.after)).toBe(true)
    } finally {
      await there.close()
    }
  })

  it('has one entry of a change that is asked for ten times under one name, in two processes', async () => {
    const [here, there] = [given.store(), await given.database().open()]
    try {
      const { workspaceId } = await createCustomer(here)
      const subject = 'repeated'
      const { record } = recorder({ subject })
      await Promise.all(
        Array.from({ length: CALLERS }, (_, i) =>
          (i % 2 === 0 ? here : there).books.credit({
            id: ids.transfer(),
            workspaceId,
            kind: 'topup',
            amount: nano(5n),
            note: null,
            at: NOON,
            idempotencyKey: 'audited once',
            record,
          }),
        ),
      )
      expect(await entriesOf(here, subject)).toHaveLength(1)
    } finally {
      await there.close()
    }
  })

  it('has one entry of a change outside of the database that is asked for ten times under one name', async () => {
    const [here, there] = [given.store(), await given.database().open()]
    try {
      const subject = 'outside, repeated'
      const once = (inputHash: string) => ({
        name: 'release once',
        inputHash,
        at: NOON,
        subject,
        answerOf: (made: string) => JSON.stringify(made),
        answerUntil: null,
      })
      const verdicts = await Promise.all(
        Array.from({ length: CALLERS }, (_, i) =>
          (i % 2 === 0 ? here : there).audit.record(entry({ subject }), `by ${i}`, once('same')),
        ),
      )
      expect(await entriesOf(here, subject)).toHaveLength(1)
      const made = verdicts.flatMap((verdict) => (verdict.kind === 'made' ? verdict.made : []))
      expect(made).toHaveLength(1)
      for (const verdict of verdicts)
        if (verdict.kind !== 'made')
          expect(verdict).toMatchObject({ kind: 'repeated', answer: JSON.stringify(made[0]) })
      expect(await here.audit.record(entry({ subject }), 'other', once('other'))).toEqual({
        kind: 'conflict',
      })
    } finally {
      await there.close()
    }
  })

  it('remembers a change under its name that had nothing to do, and has no entry of it', async () => {
    const store = given.store()
    const once = {
      name: 'release of nothing',
      inputHash: 'same',
      at: NOON,
      subject: 'nothing to do',
      answerOf: (made: string) => made,
      answerUntil: null,
    }
    expect(await store.audit.record(undefined, 'nothing', once)).toEqual({ kind: 'made', made: 'nothing' })
    expect(await store.audit.record(entry({ subject: once.subject }), 'more', once)).toMatchObject({
      kind: 'repeated',
      answer: 'nothing',
    })
    expect(await entriesOf(store, once.subject)).toEqual([])
    expect(await store.audit.record(undefined, 'nothing')).toEqual({ kind: 'made', made: 'nothing' })
  })

  it('has nothing of what was refused, changed nothing or named nothing', async () => {
    const store = given.store()
    const { workspaceId } = await createCustomer(store)
    const key = newKey(workspaceId)
    await store.directory.createKey(key)
    await store.directory.revokeKey(key.id, NOON)
    const { record, asked } = recorder({ subject: 'nothing' })
    await store.directory.revokeKey(key.id, NOON, record)
    await store.directory.updateKey(ids.key(), { name: 'x' }, record)
    await store.directory.updateWorkspace(ids.workspace(), { name: 'x' }, record)
    await store.directory.createKey(newKey(ids.workspace()), undefined, record)
    await store.adminTokens.revoke(ids.adminToken(), NOON, record)
    await store.books.credit({
      id: ids.transfer(),
      workspaceId,
      kind: 'adjust',
      amount: nano(1_000_000_000_000n),
      note: null,
      at: NOON,
      idempotencyKey: null,
      record,
    })
    await store.directory.updateKey(key.id, { name: 'same' }, () => undefined)
    expect([asked, await entriesOf(store, 'nothing')]).toEqual([[], []])
  })

  it('is listed newest first, by pages, time, action, actor, workspace and subject', async () => {
    const store = given.store()
    const { workspaceId } = await createCustomer(store)
    const hour = NOON + 100 * 3_600_000
    const actors: AuditEntry['actor'][] = [
      { kind: 'configuration' },
      { kind: 'command_line', name: 'ada' },
      { kind: 'token', id: ids.adminToken(), name: 'deploy' },
    ]
    const written = Array.from({ length: 9 }, (_, i) =>
      entry({
        at: hour + Math.floor(i / 2),
        actor: actors[i % 3] ?? { kind: 'unknown' },
        workspaceId: i % 2 === 0 ? workspaceId : null,
        action: i % 4 === 0 ? 'key.create' : 'key.update',
        subject: `key ${i % 2}`,
      }),
    )
    await store.audit.keepRefusedTokens(written)
    const newest = written.toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
    const asked = { limit: 100, from: hour }
    const listed = async (filter: object) => (await store.audit.entries({ ...asked, ...filter })).items
    expect(await listed({})).toEqual(newest)

    const paged: AuditEntry[] = []
    let cursor: string | undefined
    do {
      const page = await store.audit.entries({ limit: 2, from: hour, ...(cursor && { cursor }) })
      paged.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(paged).toEqual(newest)

    const by = (match: (one: AuditEntry) => boolean) => newest.filter(match)
    expect(await listed({ to: hour + 2 })).toEqual(by(({ at }) => at < hour + 2))
    expect(await listed({ action: 'key.create' })).toEqual(by(({ action }) => action === 'key.create'))
    expect(await listed({ workspaceId })).toEqual(by((one) => one.workspaceId === workspaceId))
    expect(await listed({ subject: 'key 1' })).toEqual(by(({ subject }) => subject === 'key 1'))
    for (const actor of ['configuration', 'ada', 'deploy'])
      expect(await listed({ actor })).toEqual(
        by((one) => ('name' in one.actor ? one.actor.name : one.actor.kind) === actor),
      )
    expect(await listed({ actor: 'token' })).toEqual([])
    const first = newest[0]
    expect(await store.audit.entry(first?.id as AuditId)).toEqual(first)
    expect(await store.audit.entry(ids.audit())).toBeUndefined()
    expect(store.audit.entries({ limit: 1, cursor: ids.audit() })).rejects.toThrow(UnknownCursor)
  })

  it('counts wrong tokens in the entry that is there, and forgets them after their time, never a change', async () => {
    const store = given.store()
    const at = NOON - KEEP_REFUSED_TOKENS_MS - 1
    const refused = Array.from({ length: 450 }, () =>
      entry({ action: 'token.refuse', at, subject: 'forgotten', actor: { kind: 'unknown' } }),
    )
    const change = entry({ at, subject: 'kept' })
    const young = entry({ action: 'token.refuse', at: at + 1, subject: 'kept' })
    await store.audit.keepRefusedTokens([...refused, change, young])
    const counted = { ...young, count: 7, lastAt: NOON }
    await store.audit.keepRefusedTokens([counted])
    expect((await entriesOf(store, 'kept')).toSorted((a, b) => a.at - b.at)).toEqual([change, counted])
    expect(await store.audit.forget(NOON)).toBe(450)
    expect(await entriesOf(store, 'forgotten')).toEqual([])
    expect(await entriesOf(store, 'kept')).toHaveLength(2)
  })
})
