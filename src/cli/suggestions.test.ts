import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type AdminWorld, createAdminWorld } from '../../test/support/adminWorld.ts'
import { runCommand } from '../../test/support/commandLine.ts'

let world: AdminWorld
beforeAll(async () => {
  world = await createAdminWorld()
})
afterAll(() => world.close())

test.each([
  ['tokens list', 'there is no command "tokens"; did you mean "token list"?'],
  ['workspce list', 'there is no command "workspce"; did you mean "workspace list"?'],
  ['workspces ls', 'did you mean "workspace list"?'],
  ['keys', 'did you mean "key"?'],
  ['token delete ci', 'there is no command "token delete"; did you mean "token revoke"?'],
  ['token remove ci', 'did you mean "token revoke"?'],
  ['key rm x', 'did you mean "key revoke"?'],
  ['token ls', 'did you mean "token list"?'],
  ['token add ci', 'did you mean "token create"?'],
  ['key new ws_1', 'did you mean "key create"?'],
  ['credit create ws_1 5', 'did you mean "credit add"?'],
  ['key get x', 'did you mean "key show"?'],
  ['key edit x', 'did you mean "key update"?'],
  ['key crate ws_1', 'did you mean "key create"?'],
  ['list tokens', 'did you mean "token list"?'],
  ['audits', 'did you mean "audit"?'],
  ['serv', 'did you mean "serve"?'],
  [
    'workspace delete x',
    'there is no command "workspace delete"; there are: workspace create, workspace list,',
  ],
  ['request list --form 2026-11-01', 'there is no option --form; did you mean --from?'],
  ['key rotate x --overlap 60', 'did you mean --overlap-seconds?'],
  ['key create x --monthly-spend 5', 'did you mean --monthly-spend-usd?'],
  ['key create x --expires 2027-01-01', 'did you mean --expires-at?'],
  ['usage --workspace-id x', 'did you mean --workspace?'],
  ['token list --token x', 'did you mean --admin-token?'],
  ['workspace list --alll', 'did you mean --all?'],
])('tollgate %s: %s', async (line, message) => {
  const { code, out, err } = await runCommand(world, line.split(' '))
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain(message)
})

test.each(['xyzzy', 'workspace list --x', 'workspace list --verbose', 'key create x --requests 5'])(
  'tollgate %s: nothing is near, or several are, and nothing is suggested',
  async (line) => {
    const { code, err } = await runCommand(world, line.split(' '))
    expect(code).toBe(2)
    expect(err).not.toContain('did you mean')
  },
)
