import { assert, unreachable } from './assert.ts'
import { type Nano, maxNano, minNano, nano } from './money.ts'
import type { HoldRequest } from './ports/till.ts'

/** The most that a call can cost is held at once where it is at most this part of what is free: it never has to grow. */
const SMALL_PART = 100n
/** Of the most that output can cost which comes in one piece, this part is held, … */
const UNSEEN_PART_OF_MOST = 4n
/** … but not over this part of what is free, so that calls at once do not block each other. */
const UNSEEN_PART_OF_FREE = 8n

/** Where less than this is free, the call is refused. */
export function leastOf({ need, most, output }: HoldRequest): Nano {
  assert(need >= 0n, 'a hold is never negative')
  assert(need <= most, 'no call needs more than it can cost')
  return output === 'full' ? most : need
}

/**
 * How much of what is free is set aside for a call at first: the table of holds.
 *
 * @param free at least `leastOf(request)`
 */
export function grantHold(request: HoldRequest, free: Nano): Nano {
  const { need, most, output } = request
  assert(leastOf(request) <= free, 'what is held is there')
  if (most * SMALL_PART <= free) return most
  switch (output) {
    case 'full':
      return most
    case 'seen':
      return need
    case 'unseen':
      return maxNano(need, minNano(nano(most / UNSEEN_PART_OF_MOST), nano(free / UNSEEN_PART_OF_FREE)))
    default:
      return unreachable(output)
  }
}
