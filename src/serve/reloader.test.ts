import { expect, test } from 'bun:test'
import { loadSettings } from '../config/loadSettings.ts'
import { createReloader, LOOK_INTERVAL_MS, PATIENCE_MS, QUIET_MS } from './reloader.ts'

const WHOLE = 'providers: { demo: {} }\nmodels: [demo/chat]\n'
const NEXT = 'providers: { demo: {} }\nmodels: [{ id: next, targets: [{ provider: demo, model: chat }] }]\n'
/** Everything that must not go into force, though some of it can be read. */
const TORN = [undefined, '', '# ', 'providers: { demo: {} }\n', 'providers: { demo: {} }\nmodels: [{ id: ne']

/** A configuration file in memory, looked at in steps of `LOOK_INTERVAL_MS`. */
function createWatch() {
  let text: string | undefined = WHOLE
  let version = 0
  let now = 0
  let whileReading: (() => void) | undefined
  const inForce: string[] = []
  const refused: string[] = []
  const reloader = createReloader(
    {
      look: async () => String(version),
      load() {
        const loaded = loadSettings({
          flags: {},
          env: {},
          path: 'tollgate.yaml',
          readFile: () => text,
          now: 0,
        })
        whileReading?.()
        return loaded
      },
      apply: ({ settings }) => void inForce.push(settings.models.map(({ id }) => id).join()),
      refuse: (problems) => void refused.push(problems.map(({ message }) => message).join()),
      monotonic: () => now,
    },
    '0',
  )
  function write(next: string | undefined): void {
    text = next
    version++
  }
  return {
    inForce,
    refused,
    reloader,
    write,
    writeWhileReading(next: string) {
      whileReading = () => {
        whileReading = undefined
        write(next)
      }
    },
    async pass(milliseconds: number) {
      const end = now + milliseconds
      while (now < end) {
        now = Math.min(end, now + LOOK_INTERVAL_MS)
        await reloader.look()
      }
    },
  }
}

test('a file that does not change is not read', async () => {
  const watch = createWatch()
  await watch.pass(10 * PATIENCE_MS)
  expect([watch.inForce, watch.refused]).toEqual([[], []])
})

test('a changed file goes into force once, when it has been quiet', async () => {
  const watch = createWatch()
  watch.write(NEXT)
  for (let times = 0; times < 5; times++) {
    await watch.pass(LOOK_INTERVAL_MS)
    watch.write(NEXT)
  }
  expect(watch.inForce).toEqual([])
  await watch.pass(LOOK_INTERVAL_MS + QUIET_MS)
  await watch.pass(10 * PATIENCE_MS)
  expect(watch.inForce).toEqual(['next'])
})

test.each(TORN)('a write that stands at %j for a while is waited out without a word', async (torn) => {
  const watch = createWatch()
  watch.write(torn)
  await watch.pass(PATIENCE_MS - LOOK_INTERVAL_MS)
  watch.write(NEXT)
  await watch.pass(PATIENCE_MS)
  expect(watch.refused).toEqual([])
  expect(watch.inForce).toEqual(['next'])
})

test.each(TORN)(
  'a file that stays at %j is reported once, and goes into force when it is whole',
  async (torn) => {
    const watch = createWatch()
    watch.write(torn)
    await watch.pass(10 * PATIENCE_MS)
    expect(watch.refused).toHaveLength(1)
    expect(watch.inForce).toEqual([])
    watch.write(NEXT)
    await watch.pass(PATIENCE_MS)
    expect(watch.inForce).toEqual(['next'])
  },
)

test('what was read while it was written does not go into force', async () => {
  const watch = createWatch()
  watch.write('providers: { demo: {} }\nmodels: [{ id: half, targets: [{ provider: demo, model: chat }] }]\n')
  watch.writeWhileReading(NEXT)
  await watch.pass(PATIENCE_MS)
  expect(watch.inForce).toEqual(['next'])
})

test('a file that is asked for is read at once, and waited for when it has just been torn', async () => {
  const watch = createWatch()
  await watch.reloader.ask()
  expect(watch.inForce).toEqual(['demo/chat'])
  watch.write(undefined)
  await watch.reloader.ask()
  expect(watch.refused).toEqual([])
  await watch.pass(PATIENCE_MS)
  expect(watch.refused).toEqual(['does not exist'])
  await watch.reloader.ask()
  expect(watch.refused).toHaveLength(2)
})
