import { expect } from 'bun:test'
import type { NewAdminToken } from '../../src/core/ports/adminTokens.ts'
import { UnknownCursor } from '../../src/core/ports/page.ts'
import { contract } from './contract.ts'
import { NOON, ids, newKey } from './customer.ts'

const CALLERS = 10

function newToken(name: string, createdAt = NOON): NewAdminToken {
  const { secretHash } = newKey(ids.workspace())
  return { id: ids.adminToken(), name, hint: 'tga_AB12…', secretHash, createdAt }
}

contract('admin tokens', (given, it) => {
  it('are found by their hash, revoked ones included', async () => {
    const { adminTokens } = given.store()
    const { secretHash, ...token } = newToken('found')
    const made = { ...token, revokedAt: null, lastUsedAt: null, lastUsedFrom: null }
    expect(await adminTokens.create({ secretHash, ...token })).toEqual({ kind: 'made', made })
    expect(await adminTokens.find(secretHash)).toEqual(made)
    expect(await adminTokens.token(token.id)).toEqual(made)
    expect(await adminTokens.revoke(token.id, NOON + 1)).toEqual({ ...made, revokedAt: NOON + 1 })
    expect(await adminTokens.revoke(token.id, NOON + 2)).toEqual({ ...made, revokedAt: NOON + 1 })
    expect(await adminTokens.find(secretHash)).toEqual({ ...made, revokedAt: NOON + 1 })
    expect(await adminTokens.find('nothing')).toBeUndefined()
    expect(await adminTokens.revoke(ids.adminToken(), NOON)).toBeUndefined()
  })

  it('have names of their own while they are in force, however many ask at once in two processes', async () => {
    const [here, there] = [given.store(), await given.database().open()]
    try {
      const verdicts = await Promise.all(
        Array.from({ length: CALLERS }, (_, i) =>
          (i % 2 === 0 ? here : there).adminTokens.create(
            newToken(i % 3 === 0 ? 'one of its name' : 'One Of Its NAME'),
          ),
        ),
      )
      const made = verdicts.flatMap((verdict) => (verdict.kind === 'made' ? [verdict.made.id] : []))
      expect(made).toHaveLength(1)
      const [by] = made
      if (by === undefined) throw new Error('none was made')
      for (const verdict of verdicts)
        if (verdict.kind !== 'made') expect(verdict).toEqual({ kind: 'name_taken', by })
      await here.adminTokens.revoke(by, NOON)
      expect(await there.adminTokens.create(newToken('one of its name'))).toMatchObject({ kind: 'made' })
    } finally {
      await there.close()
    }
  })

  it('are listed newest first, by pages', async () => {
    const { adminTokens } = given.store()
    const later = NOON + 3_600_000
    const tokens = Array.from({ length: 5 }, (_, i) => newToken(`listed ${i}`, later + Math.floor(i / 2)))
    for (const token of tokens) await adminTokens.create(token)
    const newest = tokens
      .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
      .map(({ name }) => name)
    const first = await adminTokens.tokens({ limit: 3 })
    const { nextCursor: cursor = '' } = first
    const second = await adminTokens.tokens({ limit: 2, cursor })
    expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(newest)
    expect(adminTokens.tokens({ limit: 1, cursor: ids.adminToken() })).rejects.toThrow(UnknownCursor)
  })

  it('remember their last use, never an older one', async () => {
    const { adminTokens } = given.store()
    const [one, two] = [newToken('used'), newToken('used too')]
    for (const token of [one, two]) await adminTokens.create(token)
    const uses = (at: number, address: string | null) =>
      adminTokens.used([one, two].map(({ id }) => ({ id, at, address })))
    await uses(NOON + 5, '203.0.113.7')
    await uses(NOON + 4, '203.0.113.8')
    for (const { id } of [one, two])
      expect(await adminTokens.token(id)).toMatchObject({ lastUsedAt: NOON + 5, lastUsedFrom: '203.0.113.7' })
    await uses(NOON + 6, null)
    expect(await adminTokens.token(one.id)).toMatchObject({ lastUsedAt: NOON + 6, lastUsedFrom: null })
  })
})
