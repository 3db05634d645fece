import { describe, expect, test } from 'bun:test'
import { banner, type BannerFacts, commandFrom } from './banner.ts'

test('the command that the start names works from the folder where it was started', () => {
  const path = '/opt/tollgate/bin/tollgate'
  expect(commandFrom('/opt/tollgate', path)).toBe('bin/tollgate')
  expect(commandFrom('/opt', path)).toBe('tollgate/bin/tollgate')
  // A shell looks for a word without a slash on its PATH.
  expect(commandFrom('/opt/tollgate/bin', path)).toBe('./tollgate')
  for (const folder of ['/srv/shop', '/opt/tollgate/src', '/'.concat('opt/tollgate-2')])
    expect(commandFrom(folder, path)).toBe(path)
})

test.each([true, false])('the start names the command as it was given (workspaces: %p)', (hasWorkspaces) => {
  const facts = {
    version: '1',
    data: 'sqlite:x.db',
    url: 'http://x',
    file: undefined,
    models: [],
    demoKey: undefined,
  }
  const text = banner({ ...facts, command: '/opt/tollgate/bin/tollgate', hasWorkspaces, adminClosed: false })
  expect(text).toContain('/opt/tollgate/bin/tollgate key create WORKSPACE NAME')
  expect(text).not.toContain(' bin/tollgate')
  expect(text).not.toContain('token create')
})

test('where nothing opens the admin API, the start says how to create a token', () => {
  const facts = {
    version: '1',
    data: 'sqlite:x.db',
    url: 'http://x',
    file: undefined,
    models: [],
    demoKey: undefined,
  }
  const text = banner({ ...facts, command: 'bin/tollgate', hasWorkspaces: true, adminClosed: true })
  expect(text).toContain('no token yet; create one: bin/tollgate token create NAME\n')
})

describe('the commands that the start names', () => {
  const facts = {
    version: '1',
    data: 'sqlite:x.db',
    url: 'http://x',
    file: undefined,
    models: [],
    demoKey: undefined,
  }
  const textWith = (flags: BannerFacts['flags'], hasWorkspaces = false) =>
    banner({ ...facts, command: 'bin/tollgate', hasWorkspaces, adminClosed: true, ...(flags && { flags }) })

  test('work on the database of the process, whatever is in the name of its file', () => {
    const text = textWith({ config: "it's here.yaml", databaseUrl: 'sqlite:/srv/t.db' })
    const flags = String.raw`--config 'it'\''s here.yaml' --database-url sqlite:/srv/t.db`
    for (const command of [
      'token create NAME',
      'workspace create NAME',
      'credit add WORKSPACE 10.00',
      'key create WORKSPACE NAME',
    ])
      expect(text).toContain(`bin/tollgate ${command} ${flags}\n`)
    expect(textWith({ config: 't.yaml' }, true)).toContain('workspace list --config t.yaml, then')
  })

  test('name a file that a variable of the process has named, but not the default', () => {
    const textOf = (file: string) =>
      banner({ ...facts, file, command: 't', hasWorkspaces: false, adminClosed: false })
    expect(textOf('/etc/tollgate/tollgate.yaml')).toContain(
      'workspace create NAME --config /etc/tollgate/tollgate.yaml\n',
    )
    expect(textOf('tollgate.yaml')).toContain('workspace create NAME\n')
  })

  test('show no password', () => {
    const text = textWith({ databaseUrl: 'postgres://tollgate:secret@db/tollgate' })
    expect(text).toContain('workspace create NAME --database-url URL\n')
    expect(text).not.toContain('secret')
  })
})
