import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type AdminWorld, createAdminWorld } from '../../test/support/adminWorld.ts'
import { rejectionOf } from '../../test/support/rejection.ts'
import { GatewayError } from '../core/error.ts'
import { createLocalOperations } from './localOperations.ts'
import type { Operations } from './operations.ts'

const KEY = 'Key-of-Acme.9876543210'
let secrets: readonly string[]
let world: AdminWorld
let operations: Operations
let workspace: string
let key: string

beforeAll(async () => {
  world = await createAdminWorld()
  operations = createLocalOperations({ ...world.deps, secrets: () => secrets })
  secrets = []
  workspace = (await operations.createWorkspace({ name: 'Blue', type: 'personal' })).id
  key = (await operations.createKey(workspace, { name: 'ci' })).id
  secrets = [KEY, 'short']
})
afterAll(() => world.close())

/** Every operation that takes a name or a note, with one. */
const WRITING: Record<string, (text: string) => Promise<unknown>> = {
  'the name of a workspace': (name) => operations.createWorkspace({ name, type: 'personal' }),
  'the new name of a workspace': (name) => operations.updateWorkspace(workspace, { name }),
  'the name of a key': (name) => operations.createKey(workspace, { name }),
  'the new name of a key': (name) => operations.updateKey(key, { name }),
  'the name of an admin token': (name) => operations.createAdminToken({ name }),
  'the note of a credit': (note) => operations.credit(workspace, { amount_usd: '1', note }),
}

for (const [what, write] of Object.entries(WRITING)) {
  test.each([
    KEY,
    `x ${KEY} y`,
    KEY.toUpperCase(),
    KEY.replace('of', ' of '),
    KEY.replace('Acme', 'Ac\u200bme'),
  ])(
    `${what} that holds a secret of the configuration is a 400 that does not repeat it: %j`,
    async (text) => {
      const error = await rejectionOf(write(text))
      if (!(error instanceof GatewayError)) throw error
      expect(error.status).toBe(400)
      expect(error.refusal.param).toBe(what.includes('note') ? 'note' : 'name')
      expect(JSON.stringify(error.refusal)).not.toContain('9876543210')
    },
  )

  test(`${what} may be any other text`, async () => {
    await write(`Acme short ${crypto.randomUUID()}`)
  })
}

test('a secret counts from the moment on at which the configuration has it', async () => {
  secrets = []
  await operations.updateKey(key, { name: KEY })
  secrets = [KEY]
  const error = await rejectionOf(operations.updateKey(key, { name: KEY }))
  expect(error).toBeInstanceOf(GatewayError)
})
