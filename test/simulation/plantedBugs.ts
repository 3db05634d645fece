import { nano } from '../../src/core/money.ts'
import type { Answers } from '../../src/core/ports/answers.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { Settlement, Till } from '../../src/core/ports/till.ts'
import type { SeededRandom } from '../support/seededRandom.ts'

type Bug = (store: Store, random: SeededRandom) => Store

/** How often a planted bug shows itself. */
const RARELY = 0.03

/** Stores that do one thing wrong now and then: what the simulation must notice. */
export const PLANTED_BUGS: Readonly<Record<string, Bug>> = {
  'charges twice': withTill((till, random) => ({
    settle: async (settlement) => {
      const result = await till.settle(settlement)
      if (random.chance(RARELY)) await till.settle(renamed(settlement))
      return result
    },
  })),
  'charges a nano-dollar too much': withTill((till, random) => ({
    settle: (settlement) =>
      till.settle(
        settlement.cost > 0n && random.chance(RARELY)
          ? { ...settlement, cost: nano(settlement.cost + 1n) }
          : settlement,
      ),
  })),
  'forgets a settlement': withTill((till, random) => ({
    settle: (settlement) =>
      random.chance(RARELY)
        ? Promise.resolve({ charge: nano(0n), writeoff: nano(0n), balance: nano(0n) })
        : till.settle(settlement),
  })),
  'lets a charge stand whose answer was not sent': withTill((till) => ({
    settle: (settlement) => till.settle({ ...settlement, refunds: false }),
  })),
  'never sweeps': withTill(() => ({ sweep: () => Promise.resolve(0) })),
  'lets a request past its windows': withTill((till, random) => ({
    admit: (admission) =>
      till.admit(
        random.chance(RARELY)
          ? {
              ...admission,
              limits: { ...admission.limits, workspacePerMinute: 1e9, keyPerMinute: null, keyPerDay: null },
            }
          : admission,
      ),
  })),
  "holds more than the key's month allows": withTill((till, random) => ({
    admit: (admission) =>
      till.admit(
        random.chance(0.5)
          ? { ...admission, limits: { ...admission.limits, keyMonthlySpend: null } }
          : admission,
      ),
  })),
  'gives an Idempotency-Key away twice': (store) => ({ ...store, answers: forgetful(store.answers) }),
}

function withTill(bug: (till: Till, random: SeededRandom) => Partial<Till>): Bug {
  return (store, random) => ({ ...store, till: { ...store.till, ...bug(store.till, random) } })
}

function renamed(settlement: Settlement): Settlement {
  const id = `${settlement.id}-again` as Settlement['id']
  return { ...settlement, id, record: { ...settlement.record, id } }
}

function forgetful(answers: Answers): Answers {
  return {
    ...answers,
    claim: async (claim) => {
      const verdict = await answers.claim(claim)
      return verdict.kind === 'running' ? { kind: 'claimed' } : verdict
    },
  }
}
