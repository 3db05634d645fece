import { expect } from 'bun:test'
import type { UsageQuery } from '../../src/core/ports/books.ts'
import type { Page, PageRequest } from '../../src/core/ports/page.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { ids } from '../contract/customer.ts'
import { COMMON_MODEL, RARE_KEY, RARE_MODEL, type LargeBooks } from './largeBooks.ts'

export interface Operation {
  readonly name: string
  readonly run: (store: Store, books: LargeBooks) => Promise<unknown>
  /** Somebody waits for it: has a limit in all, too. */
  readonly page?: true
}

interface Sizes {
  readonly expiredHolds: number
  readonly expiredAnswers: number
}

const DAY_MS = 86_400_000
const page: PageRequest = { limit: 100 }

/** Follows the list for a few pages, from a cursor or from its beginning. */
async function pages(
  read: (request: PageRequest) => Promise<Page<unknown>>,
  cursor?: string,
): Promise<number> {
  let next = cursor
  let items = 0
  for (let i = 0; i < 3; i++) {
    const found = await read({ ...page, ...(next !== undefined && { cursor: next }) })
    items += found.items.length
    next = found.nextCursor
    if (next === undefined) break
  }
  return items
}

/** No index knows models alone: every record is looked at until a page is full. Takes seconds, and holds up nobody. */
const SEARCHES_OF_ALL: ReadonlySet<string> = new Set(['rare model', 'no model'])

function pageUnless(search: boolean): Pick<Operation, 'page'> {
  return search ? {} : { page: true }
}

function listsOfRequests(): Operation[] {
  const filters: readonly (readonly [string, (books: LargeBooks) => object])[] = [
    ['all', () => ({})],
    ['huge workspace', ({ huge }) => ({ workspaceId: huge.workspaceId })],
    ['tiny workspace', ({ tiny }) => ({ workspaceId: tiny.workspaceId })],
    ['no workspace', () => ({ workspaceId: ids.workspace() })],
    ['key', ({ huge }) => ({ keyId: huge.keys[1] })],
    ['rare key', ({ huge }) => ({ keyId: huge.keys[RARE_KEY] })],
    ['unused key', ({ middling }) => ({ keyId: middling.keys[RARE_KEY] })],
    ['workspace, rare key', ({ huge }) => ({ workspaceId: huge.workspaceId, keyId: huge.keys[RARE_KEY] })],
    ["workspace, other's key", ({ huge, tiny }) => ({ workspaceId: huge.workspaceId, keyId: tiny.keyId })],
    ['model', () => ({ model: COMMON_MODEL })],
    ['rare model', () => ({ model: RARE_MODEL })],
    ['no model', () => ({ model: 'm/none' })],
    ['workspace, model', ({ huge }) => ({ workspaceId: huge.workspaceId, model: COMMON_MODEL })],
    ['workspace, rare model', ({ huge }) => ({ workspaceId: huge.workspaceId, model: RARE_MODEL })],
    ['workspace, no model', ({ huge }) => ({ workspaceId: huge.workspaceId, model: 'm/none' })],
    ['key, no model', ({ huge }) => ({ keyId: huge.keys[1], model: 'm/none' })],
    [
      'workspace, key, model',
      ({ huge }) => ({ workspaceId: huge.workspaceId, keyId: huge.keys[1], model: COMMON_MODEL }),
    ],
  ]
  return filters.flatMap(([name, filter]): Operation[] => [
    {
      name: `requests: ${name}`,
      ...pageUnless(SEARCHES_OF_ALL.has(name)),
      run: (store, books) => pages((request) => store.books.requests({ ...request, ...filter(books) })),
    },
    {
      name: `requests: ${name}, deep`,
      ...pageUnless(SEARCHES_OF_ALL.has(name)),
      run: (store, books) =>
        pages((request) => store.books.requests({ ...request, ...filter(books) }), books.middleCall),
    },
  ])
}

function reportsOfUsage(): Operation[] {
  const filters: readonly (readonly [string, (books: LargeBooks) => Omit<UsageQuery, 'groupBy'>])[] = [
    ['all', () => ({})],
    ['last 30 days', ({ lastAt }) => ({ from: lastAt - 30 * DAY_MS })],
    ['a day', ({ firstAt }) => ({ from: firstAt + 50 * DAY_MS, to: firstAt + 51 * DAY_MS })],
    ['huge workspace', ({ huge }) => ({ workspaceId: huge.workspaceId })],
    ['key', ({ huge }) => ({ keyId: huge.keyId })],
    ['rare key', ({ huge }) => ({ keyId: huge.keys[RARE_KEY] ?? huge.keyId })],
    ['model', () => ({ model: COMMON_MODEL })],
    [
      'workspace, model, a year',
      ({ huge, firstAt }) => ({
        workspaceId: huge.workspaceId,
        model: RARE_MODEL,
        to: firstAt + 365 * DAY_MS,
      }),
    ],
  ]
  const groups = ['day', 'model', 'key', 'workspace'] as const
  return filters.flatMap(([name, filter]) =>
    (name === 'all' || name === 'huge workspace' ? groups : groups.slice(0, 1)).map((groupBy): Operation => ({
      name: `usage by ${groupBy}: ${name}`,
      run: (store, books) => store.books.usage({ ...filter(books), groupBy }),
    })),
  )
}

async function readAll(batches: AsyncIterable<readonly unknown[]>): Promise<number> {
  let count = 0
  for await (const batch of batches) count += batch.length
  return count
}

/**
 * Everything of the store that lists, reports or cleans up. In this order: the clean-ups have their work
 * once.
 */
export function largeOperations({ expiredHolds, expiredAnswers }: Sizes): readonly Operation[] {
  return [
    { name: 'nothing', run: () => Bun.sleep(100) },
    {
      name: 'workspaces',
      page: true,
      run: (store) => pages((request) => store.directory.workspaces(request)),
    },
    {
      name: 'keys',
      page: true,
      run: (store, { huge }) => pages((request) => store.directory.keys(huge.workspaceId, request)),
    },
    {
      name: 'ledger',
      page: true,
      run: (store, { huge }) => pages((request) => store.books.ledger(huge.workspaceId, request)),
    },
    {
      name: 'ledger, deep',
      page: true,
      async run(store, { huge, middleCall }) {
        const [first] = await store.books.transfersOf(middleCall)
        await pages((request) => store.books.ledger(huge.workspaceId, request), first?.id)
      },
    },
    ...listsOfRequests(),
    {
      name: 'receipt and its transfers',
      page: true,
      async run(store, { middleCall }) {
        expect(await store.books.receipt(middleCall)).toBeDefined()
        expect((await store.books.transfersOf(middleCall)).length).toBe(3)
      },
    },
    {
      name: 'standing of a key',
      page: true,
      run: (store, { huge }) => store.books.keyStanding(huge.keyId, Date.now()),
    },
    ...reportsOfUsage(),
    {
      name: 'eight reports at once',
      run: (store, { lastAt }) =>
        Promise.all(
          Array.from({ length: 8 }, () =>
            store.books.usage({ from: lastAt - 30 * DAY_MS, groupBy: 'model' }),
          ),
        ),
    },
    {
      name: 'export of a workspace',
      run: (store, { huge }) => readAll(store.books.exportLedger(huge.workspaceId)),
    },
    { name: 'export of all', run: (store) => readAll(store.books.exportLedger()) },
    {
      name: 'verify',
      async run(store) {
        for await (const found of store.books.verify()) {
          expect(found).toMatchObject({ ledgerBalance: found.balance, openHolds: found.held, brokenAt: null })
        }
      },
    },
    {
      name: 'renew',
      run: (store, { liveCalls, lastAt }) => store.till.renew(liveCalls, lastAt + 10 * DAY_MS),
    },
    {
      name: 'sweep',
      async run(store) {
        expect(await store.till.sweep(Date.now())).toBe(expiredHolds)
      },
    },
    { name: 'sweep of nothing', run: (store) => store.till.sweep(Date.now()) },
    {
      name: 'expire answers',
      async run(store) {
        expect(await store.answers.expire(Date.now())).toBe(expiredAnswers)
      },
    },
    {
      name: 'verify after the sweep',
      async run(store) {
        for await (const found of store.books.verify()) {
          expect(found).toMatchObject({ ledgerBalance: found.balance, openHolds: found.held, brokenAt: null })
        }
      },
    },
  ]
}
