import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type AdminWorld, createAdminWorld } from '../../test/support/adminWorld.ts'
import { runCommand } from '../../test/support/commandLine.ts'
import { longText, repeatedIn } from '../../test/support/longValues.ts'
import { optionsOf } from './command.ts'
import { COMMANDS } from './commands/index.ts'

const REPEATED_MAX = 200
const REMOTE = { TOLLGATE_URL: 'http://127.0.0.1:1', TOLLGATE_ADMIN_TOKEN: 'a'.repeat(40) }

let world: AdminWorld

beforeAll(async () => void (world = await createAdminWorld()))
afterAll(() => world.close())

/** Every command with a long text in the place of each argument, as each option, and where nothing belongs. */
function* commandLines(long: string): Generator<string[]> {
  yield [long]
  yield ['key', long]
  yield ['help', long]
  yield [`--${long}`]
  for (const command of COMMANDS) {
    const words = command.name.split(' ')
    const given = command.positionals.map(() => '1')
    yield [...words, ...given, long]
    yield [...words, ...given, `--${long}`]
    for (const [place] of given.entries()) yield [...words, ...given.with(place, long)]
    for (const [option, { value }] of Object.entries(optionsOf(command)))
      yield [...words, ...given, value === undefined ? `--${option}=${long}` : `--${option}`, long]
  }
}

test.each([{}, REMOTE])(
  'no message of a command repeats more than 200 characters of its line (%o)',
  async (env) => {
    const found: string[] = []
    for (const long of [250, 20_000].map(longText)) {
      for (const argv of commandLines(long)) {
        if (argv[0] === 'serve') continue
        const { code, err } = await runCommand(world, argv, { env })
        const repeated = repeatedIn(err)
        // The system's own words name a path, which it bounds.
        if (code !== 0 && repeated > REPEATED_MAX && !err.includes('ENAMETOOLONG'))
          found.push(
            `${argv.map((word) => word.slice(0, 12)).join(' ')}: ${repeated} in ${err.slice(0, 100)}`,
          )
      }
    }
    expect(found).toEqual([])
  },
)
