import { expect, test } from 'bun:test'
import { banner, commandFrom } from './banner.ts'

test('the command that the start names works from the folder where it was started', () => {
  const path = '/opt/tollgate/bin/tollgate'
  expect(commandFrom('/opt/tollgate', path)).toBe('bin/tollgate')
  expect(commandFrom('/opt', path)).toBe('tollgate/bin/tollgate')
  for (const folder of ['/srv/shop', '/opt/tollgate/src', '/'.concat('opt/tollgate-2')])
    expect(commandFrom(folder, path)).toBe(path)
})

test.each([true, false])('the start names the command as it was given (workspaces: %p)', (hasWorkspaces) => {
  const facts = { version: '1', url: 'http://x', file: undefined, models: [], demoKey: undefined }
  const text = banner({ ...facts, command: '/opt/tollgate/bin/tollgate', hasWorkspaces, adminClosed: false })
  expect(text).toContain('/opt/tollgate/bin/tollgate key create WORKSPACE --name NAME')
  expect(text).not.toContain(' bin/tollgate')
  expect(text).not.toContain('token create')
})

test('where nothing opens the admin API, the start says how to create a token', () => {
  const facts = { version: '1', url: 'http://x', file: undefined, models: [], demoKey: undefined }
  const text = banner({ ...facts, command: 'bin/tollgate', hasWorkspaces: true, adminClosed: true })
  expect(text).toContain('no token yet; create one: bin/tollgate token create NAME\n')
})
