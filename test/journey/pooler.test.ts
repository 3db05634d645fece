import { describe, expect, test } from 'bun:test'
import { isJsonObject, type JsonObject } from '../../src/core/json.ts'
import { checkedFetch } from '../support/checkedFetch.ts'
import { mustSkipPooler, startPgbouncer } from '../support/pgbouncer.ts'
import { sharedPostgres } from '../support/postgres.ts'
import { jsonOf } from '../support/readAnswer.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { startScriptedProvider, streams } from '../support/scriptedProvider.ts'
import { createFolder, serveTollgate, startTollgate } from '../support/tollgateProcess.ts'
import { MESSAGES, MODEL, standardConfig } from '../support/world.ts'

const ADMIN_TOKEN = 'pooler-world-admin-token'

describe.skipIf(mustSkipPooler('the gateway behind pgbouncer'))('behind pgbouncer', () => {
  test(
    'in its default configuration, two processes charge, credit, list and revoke',
    async () => {
      const url = await (await sharedPostgres()).createDatabase()
      await using pooler = await startPgbouncer(url)
      await using provider = await startScriptedProvider(streams('Hello', ' world'))
      await using folder = await createFolder()
      await folder.write('tollgate.yaml', {
        ...standardConfig(provider),
        server: { admin_token: ADMIN_TOKEN },
        database: pooler.url,
      })
      const first = await serveTollgate(folder)
      await using _first = first.process
      const second = await serveTollgate(folder)
      await using _second = second.process

      async function admin(method: string, path: string, body?: object): Promise<JsonObject> {
        const response = await checkedFetch(`${first.url}/api/v1/admin${path}`, {
          method,
          headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
        expect(response.ok).toBe(true)
        return response.status === 204 ? {} : jsonOf(response)
      }
      function chat(at: string, secret: unknown): Promise<Response> {
        return checkedFetch(`${at}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${String(secret)}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: MODEL, messages: MESSAGES }),
        })
      }

      const workspace = await admin('POST', '/workspaces', { name: 'test', type: 'personal' })
      const path = `/workspaces/${workspace['id'] as string}`
      await admin('POST', `${path}/credits`, { amount_usd: '1' })
      const key = await admin('POST', `${path}/keys`, { name: 'test' })
      for (const { url: at } of [first, second]) {
        const answer = await chat(at, key['key'])
        expect(answer.status).toBe(200)
        await answer.arrayBuffer()
      }
      const ledger = (await admin('GET', `${path}/ledger`))['data']
      const kinds = Array.isArray(ledger) ? ledger.map((line) => isJsonObject(line) && line['kind']) : []
      expect(kinds.filter((kind) => kind === 'charge')).toHaveLength(2)

      await admin('DELETE', `/keys/${key['id'] as string}`)
      let refused: Response
      do {
        refused = await chat(second.url, key['key'])
        await refused.arrayBuffer()
      } while (refused.status === 200)
      expect(refused.status).toBe(401)
    },
    TEST_LIMIT_MS,
  )

  test(
    'that pools statements, nothing starts, and the one sentence that is printed says so',
    async () => {
      const url = await (await sharedPostgres()).createDatabase()
      await using pooler = await startPgbouncer(url, { mode: 'statement' })
      await using folder = await createFolder()
      for (const words of [['serve'], ['workspace', 'list']]) {
        await using started = startTollgate(folder, [...words, '--database-url', pooler.url])
        expect(await started.exitCode).toBe(1)
        expect(started.output).toContain('tollgate: the database cannot be used: ')
        expect(started.output).toContain('must pool sessions or transactions (pool_mode), not statements')
      }
    },
    TEST_LIMIT_MS,
  )
})
