import { expect, test } from 'bun:test'
import { PROGRAM } from '../../test/support/program.ts'
import { createFolder } from '../../test/support/tollgateProcess.ts'

test('a change beside the database is in the audit log as of the account, whatever the environment calls it', async () => {
  await using folder = await createFolder()
  async function run(...args: string[]): Promise<string> {
    const child = Bun.spawn([PROGRAM, ...args, '--database-url', `sqlite:${folder.path}/tollgate.db`], {
      cwd: folder.path,
      env: { PATH: process.env['PATH'] ?? '', USER: 'configuration', LOGNAME: 'configuration' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    return child.stdout.text()
  }
  const account = Bun.spawnSync(['id', '-un']).stdout.toString().trim()
  await run('workspace', 'create', 'Acme')
  const [entry] = JSON.parse(await run('audit', '--json')).data
  expect(entry.actor).toEqual({ kind: 'command_line', id: null, name: account })
})
