import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import * as fc from 'fast-check'
import { mustSkip, sharedPostgres } from '../../../test/support/postgres.ts'
import { bigints, texts } from './arrays.ts'

describe.skipIf(mustSkip('arrays of Postgres'))('an array parameter', () => {
  let sql: SQL
  beforeAll(async () => {
    sql = new SQL((await sharedPostgres()).url, { max: 1, bigint: true })
  })
  afterAll(() => sql.close({ timeout: 0 }))

  test('brings every text to the server as it is, a NUL and half a character as replacement characters', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', 'NULL', 'null', '{}', ',', '"', '\\', '\\"', ' ', 'a\0b', '\ud800', '\n\t'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text)), async (values) => {
        const [row] = await sql.unsafe<{ values: (string | null)[] }[]>('SELECT $1::text[] AS values', [
          texts(values),
        ])
        expect(row?.values).toEqual(
          values.map((value) => value?.replaceAll('\0', '\uFFFD').toWellFormed() ?? null),
        )
      }),
      { numRuns: 100 },
    )
  })

  test('brings every 64-bit integer to the server as it is', async () => {
    const integer = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.maxSafeInteger())
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(integer)), async (values) => {
        const [row] = await sql.unsafe<{ values: (bigint | null)[] }[]>('SELECT $1::bigint[] AS values', [
          bigints(values),
        ])
        expect(row?.values).toEqual(values.map((value) => (value === null ? null : BigInt(value))))
      }),
      { numRuns: 50 },
    )
  })
})
