import { assert, unreachable } from './assert.ts'
import { type Nano, addNano, maxNano, minNano, nano } from './money.ts'
import type { HoldRequest } from './ports/till.ts'

/** The most that a call can cost is held at once where it is at most this part of what is free: it never has to grow. */
const SMALL_PART = 100n
/** Of the most that output can cost which comes in one piece, this part is held, … */
const UNSEEN_PART_OF_MOST = 4n
/** … but not over this part of what is free beside the prompt, so that calls at once do not block each other. */
const UNSEEN_PART_OF_FREE = 8n

/** Where less than this is free, the call is refused. */
export function leastOf({ prompt, need, most, output }: HoldRequest): Nano {
  assert(prompt >= 0n, 'a hold is never negative')
  assert(prompt <= need, 'what a call needs has its prompt in it')
  assert(need <= most, 'no call needs more than it can cost')
  return output === 'full' ? most : need
}

/**
 * How much of what is free is set aside for a call at first: the table of holds.
 *
 * @param free at least `leastOf(request)`
 */
export function grantHold(request: HoldRequest, free: Nano): Nano {
  const { prompt, need, most, output } = request
  assert(leastOf(request) <= free, 'what is held is there')
  if (most * SMALL_PART <= free) return most
  switch (output) {
    case 'full':
      return most
    case 'seen':
      return need
    case 'unseen': {
      // Rounded up: four times what is held covers the most.
      const partOfMost = nano((most - prompt + UNSEEN_PART_OF_MOST - 1n) / UNSEEN_PART_OF_MOST)
      const partOfFree = nano((free - prompt) / UNSEEN_PART_OF_FREE)
      return maxNano(need, addNano(prompt, minNano(partOfMost, partOfFree)))
    }
    default:
      return unreachable(output)
  }
}
