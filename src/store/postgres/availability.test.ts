import { expect, test } from 'bun:test'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { watchAvailability } from './availability.ts'

const FULL = new StoreUnavailable('no space left on device')

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A database whose proof passes unless it is broken, watched by a clock that the watch itself moves. */
function watchOne() {
  const state = { now: 0, broken: false, told: [] as string[] }
  const availability = watchAvailability({
    prove: () => (state.broken ? Promise.reject(FULL) : Promise.resolve()),
    onChange: (fault) => void state.told.push(`${fault ? 'away' : 'back'} at ${state.now / 1_000}`),
    onRefused: () => undefined,
    monotonic: () => state.now,
    async sleep(ms) {
      await turn()
      state.now += ms
    },
  })
  async function untilBack(): Promise<void> {
    while (availability.fault) await turn()
  }
  return { state, availability, untilBack }
}

test('a database that can commit is back at once, the first time', async () => {
  const { state, availability, untilBack } = watchOne()
  availability.failed(FULL, 1, 'settle')
  expect(availability.fault).toBe(FULL)
  await untilBack()
  expect(state.told).toEqual(['away at 0', 'back at 0.5'])
})

test('where calls fail again though it can commit, it is believed later each time', async () => {
  const { state, availability, untilBack } = watchOne()
  for (let i = 0; i < 8; i++) {
    availability.failed(FULL, 1, 'settle')
    await untilBack()
  }
  const at = (what: string) =>
    state.told.filter((line) => line.startsWith(what)).map((line) => Number(line.split(' ').at(-1)))
  const lasted = at('back').map((end, i) => end - (at('away')[i] ?? 0))
  expect(lasted).toEqual([0.5, 5, 10, 20, 40, 60, 60, 60])
})

test('a call that passes again where one failed is believed at once', async () => {
  const { state, availability, untilBack } = watchOne()
  availability.failed(FULL, 1, 'settle')
  await untilBack()
  availability.failed(FULL, 1, 'settle')
  availability.succeeded('admit')
  await turn()
  expect(availability.fault).toBe(FULL)
  availability.succeeded('settle')
  await untilBack()
  expect(state.now).toBeLessThan(5_000)
  // Nor is it held against it later.
  availability.failed(FULL, 1, 'settle')
  const since = state.now
  await untilBack()
  expect(state.now - since).toBe(500)
})
