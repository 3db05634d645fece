import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { PROGRAM } from '../../test/support/program.ts'
import { createFolder, type Folder } from '../../test/support/tollgateProcess.ts'

/** Runs the command with a standard output that takes nothing. */
const OUTPUTS = {
  'a reader that has left': 'exec 3> >(:); wait $!; "$@" >&3',
  'a full disk': '"$@" > /dev/full',
}

let folder: Folder
let workspace: string

beforeAll(async () => {
  folder = await createFolder()
  const made = await run('"$@"', 'workspace', 'create', 'Team', '--json')
  workspace = JSON.parse(made.out).id
})
afterAll(() => folder[Symbol.asyncDispose]())

async function run(script: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn(['bash', '-c', script, 'bash', PROGRAM, ...args], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '', TOLLGATE_DATABASE_URL: `sqlite:${folder.path}/tollgate.db` },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}

function newestKey(): string {
  using database = new Database(`${folder.path}/tollgate.db`, { readonly: true })
  return (database.query('SELECT id FROM keys ORDER BY id DESC').get() as { id: string }).id
}

describe.each([
  ['a reader that has left', 141],
  ['a full disk', 1],
] as const)('%s', (output, failed) => {
  test.each([[[]], [['--json']]])(
    'takes the secret of a new key: the command fails and names the key to rotate (%p)',
    async (more) => {
      const { code, err } = await run(OUTPUTS[output], 'key', 'create', workspace, ...more)
      const id = newestKey()
      expect(code).toBe(failed)
      expect(err).toContain(`The key ${id} was made`)
      expect(err).toContain('its secret is lost')
      expect(err).toContain(`tollgate key rotate ${id}`)
      expect(err).not.toContain('tg_')
    },
  )

  test('takes the result of a change: the command fails and says that it was done', async () => {
    const { code, err } = await run(OUTPUTS[output], 'credit', 'add', workspace, '5')
    expect(code).toBe(failed)
    expect(err).toMatch(/it was done \(tr_\w+\), but/)
  })
})

test('a list whose reader has left ends quietly, and not as done', async () => {
  const list = await run(OUTPUTS['a reader that has left'], 'workspace', 'list')
  expect(list).toEqual({ code: 141, out: '', err: '' })
})

test('a list on a full disk says why it is not there', async () => {
  const { code, err } = await run(OUTPUTS['a full disk'], 'workspace', 'list')
  expect(code).toBe(1)
  expect(err).toBe('tollgate: the output could not be written: no space left on device\n')
})

test('messages that nobody reads change nothing', async () => {
  const { code, out } = await run('"$@" 2> /dev/full', 'workspace', 'create', 'Quiet')
  expect(code).toBe(0)
  expect(out).toContain('Quiet')
})
