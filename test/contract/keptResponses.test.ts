import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { SQL } from 'bun'
import { assert } from '../../src/core/assert.ts'
import type { RequestId } from '../../src/core/id.ts'
import {
  KEPT_RESPONSES_MAX,
  type KeptItem,
  type KeptReading,
  type KeptResponse,
  type NewKeptResponse,
} from '../../src/core/ports/keptResponses.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { StoreSettings } from '../../src/store/open.ts'
import { createSeededRandom } from '../support/seededRandom.ts'
import { contract } from './contract.ts'
import { NOON, createCustomer, ids, type Customer } from './customer.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MIB = 1024 * 1024
const TARGET = { provider: 'acme', upstreamModel: 'chat-1', credential: 'acme#1' }

function keptOf({ workspaceId }: Customer, more: Partial<NewKeptResponse> = {}): NewKeptResponse {
  const id = more.id ?? ids.request('resp_')
  return {
    id,
    workspaceId,
    previousId: null,
    createdAt: NOON,
    expiresAt: NOON + DAY_MS,
    input: '[{"role":"user","content":"naïve “quotes” \\u0000 \u{1F600}"}]',
    response: `{"id":"${id}","output":[]}`,
    madeBy: TARGET,
    items: [],
    ...more,
  }
}

async function keep(store: Store, customer: Customer, more: Partial<NewKeptResponse> = {}) {
  const kept = keptOf(customer, more)
  expect(await store.keptResponses.keep(kept)).toBe(true)
  return kept
}

/** Each goes on from the one before. */
async function keepChain(store: Store, customer: Customer, length: number): Promise<NewKeptResponse[]> {
  const chain: NewKeptResponse[] = []
  for (let i = 0; i < length; i++) {
    chain.push(await keep(store, customer, { previousId: chain.at(-1)?.id ?? null, createdAt: NOON + i }))
  }
  return chain
}

async function chainOf(
  store: Store,
  { workspaceId }: Customer,
  id: RequestId,
  at = NOON,
  keepUntil = NOON + DAY_MS,
) {
  const read = await store.keptResponses.chain(workspaceId, id, reading(at, keepUntil))
  return read === 'too_large' ? undefined : read
}

function reading(at = NOON, keepUntil = NOON + DAY_MS): KeptReading {
  return { at, keepUntil, mayRead: () => true }
}

async function idsOf(chain: ReturnType<typeof chainOf>): Promise<readonly RequestId[] | undefined> {
  return (await chain)?.map(({ id }) => id)
}

async function itemsOf(store: Store, { workspaceId }: Customer, itemIds: readonly string[], at = NOON) {
  const read = await store.keptResponses.items(workspaceId, itemIds, reading(at))
  return read === 'too_large' ? new Map<string, KeptItem>() : read
}

/** What is read of an answer: its items are found by their ids. */
function readOf(kept: NewKeptResponse): KeptResponse {
  const { id, workspaceId, previousId, createdAt, expiresAt, input, response, madeBy } = kept
  return { id, workspaceId, previousId, createdAt, expiresAt, input, response, madeBy }
}

/** Runs a statement on the tables themselves. */
async function query(settings: StoreSettings, text: string): Promise<Record<string, number>[]> {
  if (settings.engine === 'sqlite') {
    const db = new Database(settings.path)
    try {
      db.run('pragma busy_timeout = 5000')
      return db.query<Record<string, number>, []>(text).all()
    } finally {
      db.close()
    }
  }
  const client = new SQL(settings.url, { max: 1 })
  try {
    const rows = await client.unsafe<Record<string, unknown>[]>(text)
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)])),
    )
  } finally {
    await client.close({ timeout: 0 })
  }
}

contract('kept responses', (given, it) => {
  it('are a chain with the oldest first, each as it was kept', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const chain = await keepChain(store, customer, 5)
    const last = chain.at(-1)
    assert(last !== undefined, 'the chain has answers')
    expect(await chainOf(store, customer, last.id)).toEqual(chain.map(readOf))
    expect(await store.keptResponses.response(customer.workspaceId, last.id, reading())).toEqual(readOf(last))
    const unmade = await keep(store, customer, { madeBy: null })
    expect(await chainOf(store, customer, unmade.id)).toEqual([readOf(unmade)])
  })

  it('branch: each branch has the answers before it and none of the other', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const [first, second] = await keepChain(store, customer, 2)
    assert(first !== undefined && second !== undefined, 'the chain has two')
    const left = await keep(store, customer, { previousId: first.id })
    const right = await keep(store, customer, { previousId: second.id })
    expect(await idsOf(chainOf(store, customer, left.id))).toEqual([first.id, left.id])
    expect(await idsOf(chainOf(store, customer, right.id))).toEqual([first.id, second.id, right.id])
  })

  it('of another workspace are not there: no chain, no answer, no item, nothing to forget, none to go on from', async () => {
    const store = given.store()
    const owner = await createCustomer(store)
    const stranger = await createCustomer(store)
    const item = { id: 'msg_owner', from: 'input', place: 0 } as const
    const kept = await keep(store, owner, { items: [item] })
    expect(await chainOf(store, stranger, kept.id)).toBeUndefined()
    expect(await store.keptResponses.response(stranger.workspaceId, kept.id, reading())).toBeUndefined()
    expect((await itemsOf(store, stranger, [item.id])).size).toBe(0)
    expect(await store.keptResponses.forget(stranger.workspaceId, kept.id)).toBe(false)
    const after = await keep(store, stranger, { previousId: kept.id })
    expect(await chainOf(store, stranger, after.id)).toBeUndefined()
    expect(await idsOf(chainOf(store, owner, kept.id))).toEqual([kept.id])
    expect((await itemsOf(store, owner, [item.id])).size).toBe(1)
  })

  it('kept again change nothing, not even with another text', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const kept = await keep(store, customer)
    await Promise.all(
      Array.from({ length: 5 }, () => keep(store, customer, { ...kept, response: '{"output":[1]}' })),
    )
    expect(await chainOf(store, customer, kept.id)).toEqual([readOf(kept)])
    expect(await sumsOf(customer, given.database().settings)).toMatchObject({ answers: 1 })
  })

  it('expire together; using one renews all, its branches too, and never shortens their time', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const [first, second] = await keepChain(store, customer, 2)
    assert(first !== undefined && second !== undefined, 'the chain has two')
    const branch = await keep(store, customer, { previousId: first.id })
    const other = await keep(store, customer)
    const [late, end] = [NOON + DAY_MS - 1, NOON + 2 * DAY_MS]
    const used = await chainOf(store, customer, second.id, late, end)
    expect(used?.map(({ expiresAt }) => expiresAt)).toEqual([end, end])
    await chainOf(store, customer, second.id, late, late)
    expect(await idsOf(chainOf(store, customer, branch.id, end - 1, 0))).toEqual([first.id, branch.id])
    expect(await chainOf(store, customer, other.id, NOON + DAY_MS)).toBeUndefined()
    for (const { id } of [first, second, branch]) {
      expect(await chainOf(store, customer, id, end, end + DAY_MS)).toBeUndefined()
      expect(await store.keptResponses.response(customer.workspaceId, id, reading(end))).toBeUndefined()
    }
  })

  it('an answer that goes on from a chain lets it live as long as itself', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const first = await keep(store, customer)
    const end = NOON + 3 * DAY_MS
    await keep(store, customer, { previousId: first.id, expiresAt: end })
    expect(await idsOf(chainOf(store, customer, first.id, end - 1, 0))).toEqual([first.id])
  })

  it('using an item renews its conversation', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const kept = await keep(store, customer, { items: [{ id: 'msg_used', from: 'input', place: 0 }] })
    const end = NOON + 2 * DAY_MS
    await store.keptResponses.items(customer.workspaceId, ['msg_used'], reading(NOON + HOUR_MS, end))
    expect(await idsOf(chainOf(store, customer, kept.id, end - 1))).toEqual([kept.id])
  })

  it('are read only where there is room for all of them: for one, a whole conversation, or all answers with the items', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const chain = await keepChain(store, customer, 3)
    const bytes = chain.reduce(
      (sum, { input, response }) => sum + Buffer.byteLength(input) + Buffer.byteLength(response),
      0,
    )
    const last = chain.at(-1)?.id as RequestId
    const asked: number[] = []
    const without: KeptReading = {
      ...reading(),
      mayRead(bytes) {
        asked.push(bytes)
        return false
      },
    }
    expect(await store.keptResponses.chain(customer.workspaceId, last, without)).toBe('too_large')
    const one = await keep(store, customer, { items: [{ id: 'msg_1', from: 'input', place: 0 }] })
    expect(await store.keptResponses.items(customer.workspaceId, ['msg_1'], without)).toBe('too_large')
    expect(await store.keptResponses.response(customer.workspaceId, one.id, without)).toBe('too_large')
    const ofOne = Buffer.byteLength(one.input) + Buffer.byteLength(one.response)
    expect(asked).toEqual([bytes, ofOne, ofOne])
  })

  it('forgotten in the middle of a chain break it there: what came before stays, what came after is no chain', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const chain = await keepChain(store, customer, 3)
    const [first, second, third] = chain
    assert(first !== undefined && second !== undefined && third !== undefined, 'the chain has three')
    expect(await store.keptResponses.forget(customer.workspaceId, second.id)).toBe(true)
    expect(await store.keptResponses.forget(customer.workspaceId, second.id)).toBe(false)
    expect(await idsOf(chainOf(store, customer, first.id))).toEqual([first.id])
    expect(await chainOf(store, customer, second.id)).toBeUndefined()
    expect(await chainOf(store, customer, third.id)).toBeUndefined()
    expect(await store.keptResponses.response(customer.workspaceId, third.id, reading())).toEqual(
      readOf(third),
    )
  })

  it('end with a chain of their largest length: an answer after it is not kept', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const chain = await keepChain(store, customer, 2)
    const { settings } = given.database()
    const most = KEPT_RESPONSES_MAX.answersInChain
    await query(
      settings,
      `update kept_responses set depth = depth + ${most - 3} where workspace_id = '${customer.workspaceId}'`,
    )
    const last = await keep(store, customer, { previousId: chain.at(-1)?.id ?? null })
    expect((await chainOf(store, customer, last.id))?.length).toBe(3)
    expect(await store.keptResponses.keep(keptOf(customer, { previousId: last.id }))).toBe(false)
  })

  it('a chain of the largest length is read whole', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const first = await keep(store, customer)
    const { settings } = given.database()
    const most = KEPT_RESPONSES_MAX.answersInChain
    const columns = 'workspace_id, conversation_id, bytes, items, input, response, created_at'
    await query(
      settings,
      `insert into kept_responses (id, previous_id, depth, ${columns})
        with recursive n (i) as (select 2 union all select i + 1 from n where i < ${most})
        select '${first.id}_' || i, case when i = 2 then '${first.id}' else '${first.id}_' || (i - 1) end, i, ${columns}
          from n join kept_responses on id = '${first.id}' returning depth`,
    )
    const chain = await chainOf(store, customer, `${first.id}_${most}` as RequestId)
    expect(chain?.length).toBe(most)
    expect(chain?.slice(0, 2).map(({ id }) => id)).toEqual([first.id, `${first.id}_2` as RequestId])
  })
})

contract('items of kept responses', (given, it) => {
  it('are found by their ids, from input and output, exactly as they were written', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const input = '[ {"role":"user"}, {"id":"msg_1", "n":12345678901234567890,"t":"\\u0000]"} ]'
    const response = '{"x":[1],"output":[{"type":"reasoning","id":"rs_1","big":1.0},{"id":"fc_1"}]}'
    await keep(store, customer, {
      input,
      response,
      items: [
        { id: 'msg_1', from: 'input', place: 1 },
        { id: 'rs_1', from: 'output', place: 0 },
        { id: 'fc_1', from: 'output', place: 1 },
      ],
    })
    const found = await itemsOf(store, customer, [
      'fc_1',
      'msg_1',
      'rs_1',
      'rs_1',
      'none',
      '',
      'a\0b',
      '\uD800',
    ])
    expect(Object.fromEntries(found)).toEqual({
      msg_1: { json: '{"id":"msg_1", "n":12345678901234567890,"t":"\\u0000]"}', madeBy: null },
      rs_1: { json: '{"type":"reasoning","id":"rs_1","big":1.0}', madeBy: TARGET },
      fc_1: { json: '{"id":"fc_1"}', madeBy: TARGET },
    })
    expect((await itemsOf(store, customer, ['rs_1'], NOON + DAY_MS)).size).toBe(0)
  })

  it('with ids that no index holds do not keep their answer from being kept', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const odd = ['a\0b', '\uD800', 'x'.repeat(100_000), '']
    const kept = await keep(store, customer, {
      items: odd.map((id, place) => ({ id, from: 'input', place })),
    })
    expect(await idsOf(chainOf(store, customer, kept.id))).toEqual([kept.id])
    expect((await itemsOf(store, customer, odd)).size).toBe(0)
  })

  it("under one id in several answers are a model's before a caller's, and of those the newest that is left", async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const put = (from: 'input' | 'output', createdAt: number) =>
      keep(store, customer, {
        createdAt,
        input: `["in ${createdAt - NOON}"]`,
        response: `{"output":["out ${createdAt - NOON}"]}`,
        items: [{ id: 'rs_same', from, place: 0 }],
      })
    const jsonOf = async () => (await itemsOf(store, customer, ['rs_same'])).get('rs_same')?.json
    await put('input', NOON + 1)
    await put('input', NOON + 9)
    expect(await jsonOf()).toBe('"in 9"')
    const [older, newer] = [await put('output', NOON + 2), await put('output', NOON + 3)]
    expect(await jsonOf()).toBe('"out 3"')
    await store.keptResponses.forget(customer.workspaceId, newer.id)
    expect(await jsonOf()).toBe('"out 2"')
    await store.keptResponses.forget(customer.workspaceId, older.id)
    expect(await jsonOf()).toBe('"in 9"')
  })

  it('are found however many are asked for', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const names = Array.from({ length: 3_000 }, (_, i) => `msg_many_${i}`)
    const input = JSON.stringify(names)
    await keep(store, customer, { input, items: names.map((id, place) => ({ id, from: 'input', place })) })
    const found = await itemsOf(store, customer, names)
    expect([...found].every(([id, { json }]) => json === `"${id}"`)).toBe(true)
    expect(found.size).toBe(names.length)
  })
})

/** The sums of a workspace as they are kept; throws where they are not those of its answers. */
async function sumsOf({ workspaceId }: Customer, settings: StoreSettings) {
  const [sums] = await query(
    settings,
    `select answers, bytes, items from kept_sums where workspace_id = '${workspaceId}'`,
  )
  const [rows] = await query(
    settings,
    `select count(*) as answers, coalesce(sum(bytes), 0) as bytes, coalesce(sum(items), 0) as items
      from kept_responses where workspace_id = '${workspaceId}'`,
  )
  expect(sums).toEqual(rows)
  return sums
}

contract('the room for kept responses', (given, it) => {
  const big = (mib: number) => `"${'x'.repeat(mib * MIB - 2)}"`

  it('is made by the oldest, in several steps where they are many', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const small: NewKeptResponse[] = []
    for (let i = 0; i < 150; i++)
      small.push(await keep(store, customer, { createdAt: NOON + i, input: '', response: 'x'.repeat(1024) }))
    const large: NewKeptResponse[] = []
    const putLarge = async () =>
      large.push(
        await keep(store, customer, {
          createdAt: NOON + 200 + large.length,
          input: big(8),
          response: big(8),
        }),
      )
    for (let i = 0; i < 3; i++) await putLarge()
    const { settings } = given.database()
    expect(await sumsOf(customer, settings)).toMatchObject({ answers: 153 })
    await putLarge()
    expect(await sumsOf(customer, settings)).toEqual({ answers: 4, bytes: 64 * MIB, items: 0 })
    // It goes on from the answer that makes room for it.
    const after = { createdAt: NOON + 300, previousId: large[0]?.id ?? null, input: '', response: '1' }
    const last = await keep(store, customer, after)
    large.push(last)
    expect(await chainOf(store, customer, last.id)).toBeUndefined()
    const left = await Promise.all(
      [...small, ...large].map(({ id }) => store.keptResponses.response(customer.workspaceId, id, reading())),
    )
    expect(left.flatMap((kept) => (kept === 'too_large' ? [] : (kept?.id ?? [])))).toEqual(
      large.slice(1).map(({ id }) => id),
    )
    expect(await sumsOf(customer, settings)).toMatchObject({ answers: 4 })
  })

  it('is not given to an answer that is too large, or has too many items', async () => {
    const store = given.store()
    const customer = await createCustomer(store)
    const before = await keep(store, customer)
    const large = keptOf(customer, { input: big(8), response: `${big(8)} ` })
    expect(await store.keptResponses.keep(large)).toBe(false)
    const many = Array.from({ length: KEPT_RESPONSES_MAX.perAnswer.items + 1 }, (_, place) => ({
      id: `msg_${place}`,
      from: 'input' as const,
      place,
    }))
    expect(await store.keptResponses.keep(keptOf(customer, { items: many }))).toBe(false)
    expect(await idsOf(chainOf(store, customer, before.id))).toEqual([before.id])
    expect(await sumsOf(customer, given.database().settings)).toMatchObject({ answers: 1 })
  })

  for (const [what, counted] of [
    ['answers', { rows: KEPT_RESPONSES_MAX.perWorkspace.answers - 1, items: 0 }],
    ['items', { rows: 2, items: KEPT_RESPONSES_MAX.perWorkspace.items / 2 - 1 }],
  ] as const) {
    it(`is bounded by the number of ${what}`, async () => {
      const store = given.store()
      const customer = await createCustomer(store)
      const { workspaceId } = customer
      const { settings } = given.database()
      const { rows, items } = counted
      const oldest = ids.request('resp_')
      const series = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})`
      const id = `'${oldest}' || case when i = 1 then '' else '_' || i end`
      await query(
        settings,
        `insert into kept_conversations (id, workspace_id, expires_at)
          ${series} select ${id}, '${workspaceId}', ${NOON + DAY_MS} from n returning 1`,
      )
      await query(
        settings,
        `insert into kept_responses (id, workspace_id, conversation_id, depth, created_at, bytes, items, input, response)
          ${series} select ${id}, '${workspaceId}', ${id}, 1, ${NOON} + i, 0, ${items}, '[]', '{}' from n returning 1`,
      )
      await query(
        settings,
        `insert into kept_sums (workspace_id, answers, bytes, items)
          values ('${workspaceId}', ${rows}, 0, ${rows * items}) returning 1`,
      )
      const isThere = async (kept: RequestId) =>
        (await store.keptResponses.response(workspaceId, kept, reading())) !== undefined
      const item = (place: number) => ({ id: `msg_${place}`, from: 'input' as const, place })
      const createdAt = NOON + HOUR_MS
      const fitting = items === 0 ? [] : [item(0), item(1)]
      const last = await keep(store, customer, { createdAt, items: fitting })
      expect([await isThere(oldest), await isThere(last.id)]).toEqual([true, true])
      const beyond = await keep(store, customer, { createdAt, items: [item(2)] })
      expect([await isThere(oldest), await isThere(beyond.id)]).toEqual([false, true])
      expect(await isThere(`${oldest}_2` as RequestId)).toBe(true)
      await sumsOf(customer, settings)
    })
  }

  it('is given back by expiry, of every workspace, and what lives stays', async () => {
    const store = given.store()
    const customers = [await createCustomer(store), await createCustomer(store)]
    const [end, far] = [NOON + 10 * DAY_MS, NOON + 20 * DAY_MS]
    await store.keptResponses.expire(end - 1)
    const living: NewKeptResponse[] = []
    for (const customer of customers) {
      const items = [{ id: 'msg_end', from: 'input', place: 0 } as const]
      for (let i = 0; i < 120; i++)
        await keep(store, customer, { expiresAt: end, items, createdAt: NOON + i })
      living.push(await keep(store, customer, { expiresAt: end + 1 }))
    }
    expect(await store.keptResponses.expire(end - 1)).toBe(0)
    expect(await store.keptResponses.expire(end)).toBe(240)
    const { settings } = given.database()
    for (const [i, customer] of customers.entries()) {
      expect(await sumsOf(customer, settings)).toMatchObject({ answers: 1, items: 0 })
      expect(await idsOf(chainOf(store, customer, living[i]?.id as RequestId, end))).toHaveLength(1)
    }
    expect(await store.keptResponses.expire(far)).toBe(2)
    expect(await query(settings, 'select count(*) as n from kept_conversations')).toEqual([{ n: 0 }])
    expect(await query(settings, 'select count(*) as n from kept_items')).toEqual([{ n: 0 }])
  })

  it('has the right sums after random acts of two processes', async () => {
    const first = given.store()
    const second = await given.database().open()
    const customers = [await createCustomer(first), await createCustomer(first)] as const
    const random = createSeededRandom('kept responses')
    const { settings } = given.database()
    const kept = [await keep(first, customers[0]), await keep(first, customers[1])]
    let at = NOON

    async function act(store: Store): Promise<unknown> {
      const customer = random.pick(customers)
      const known = kept.filter(({ workspaceId }) => workspaceId === customer.workspaceId)
      const one = known[random.integer(0, known.length)]
      const { keptResponses } = store
      switch (random.integer(0, 5)) {
        case 0:
          return one && keptResponses.forget(customer.workspaceId, one.id)
        case 1:
          return one && keptResponses.chain(customer.workspaceId, one.id, reading(at, at + HOUR_MS))
        case 2:
          return random.chance(0.3) && keptResponses.expire(at)
        case 3:
          return one && keptResponses.keep(one)
        default: {
          const fresh = keptOf(customer, {
            previousId: one?.id ?? null,
            createdAt: at,
            expiresAt: at + random.integer(1, 10) * 60_000,
            response: 'x'.repeat(random.chance(0.3) ? 12 * MIB : random.integer(0, 1_000)),
            items: Array.from({ length: random.integer(0, 4) }, (_, place) => ({
              id: `msg_${random.integer(0, 9)}`,
              from: random.pick(['input', 'output']),
              place,
            })),
          })
          kept.push(fresh)
          return keptResponses.keep(fresh)
        }
      }
    }

    for (let round = 0; round < 25; round++) {
      at += random.integer(0, 3) * 60_000
      await Promise.all([first, second, first, second].map(act))
      for (const customer of customers) await sumsOf(customer, settings)
    }
    await second.close()
    const [items] = await query(settings, 'select count(*) as items from kept_items')
    expect(await query(settings, 'select sum(items) as items from kept_sums')).toEqual([items ?? {}])
    const [empty] = await query(
      settings,
      `select count(*) as n from kept_conversations where id not in (select conversation_id from kept_responses)`,
    )
    expect(empty).toEqual({ n: 0 })
  })
})
