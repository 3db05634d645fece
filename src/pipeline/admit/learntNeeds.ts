import type { WorkspaceId } from '../../core/id.ts'
import type { Model } from '../../core/model.ts'
import { RecentMap } from '../../core/recent.ts'

/** Pairs of workspace and model remembered at once; the one that was not asked for longest goes first. */
export const LEARNT_NEEDS_MAX = 10_000
/** The answers that are looked at: the most recent ones. */
export const ANSWERS_REMEMBERED = 64
/** Fewer say nothing. */
export const ANSWERS_MIN = 16
/** All but the longest of so many answers are within what is learnt. */
const PERCENTILE = 0.95
/** Looked at again after so many new answers. */
const LOOK_EVERY = 8

/** What a workspace's answers of a model usually take: learnt from its own, in this process. */
export interface LearntNeeds {
  /** @param outputTokens of one choice */
  learn(workspaceId: WorkspaceId, model: Model, outputTokens: number): void
  /** Output tokens of one choice: what the model is said to take, or more where this workspace's answers took more. */
  usual(workspaceId: WorkspaceId, model: Model): number
}

interface Learnt {
  /** The most recent ones, in a ring. */
  readonly answers: Uint32Array
  count: number
  needed: number
}

export function createLearntNeeds(): LearntNeeds {
  const known = new RecentMap<string, Learnt>(LEARNT_NEEDS_MAX)

  function remember(name: string): Learnt {
    const found = known.get(name) ?? { answers: new Uint32Array(ANSWERS_REMEMBERED), count: 0, needed: 0 }
    known.set(name, found)
    return found
  }

  return {
    learn(workspaceId, model, outputTokens) {
      // What is within the usual teaches nothing before something was beyond it.
      const name = nameOf(workspaceId, model)
      if (outputTokens <= model.assumedOutputTokens && !known.has(name)) return
      const learnt = remember(name)
      learnt.answers[learnt.count % ANSWERS_REMEMBERED] = outputTokens
      learnt.count += 1
      if (learnt.count >= ANSWERS_MIN && learnt.count % LOOK_EVERY === 0) learnt.needed = percentileOf(learnt)
    },
    usual(workspaceId, model) {
      const needed = known.get(nameOf(workspaceId, model))?.needed ?? 0
      return Math.min(Math.max(model.assumedOutputTokens, needed), model.maxOutputTokens)
    },
  }
}

function percentileOf({ answers, count }: Learnt): number {
  const sorted = answers.subarray(0, Math.min(count, ANSWERS_REMEMBERED)).toSorted()
  return sorted[Math.ceil(sorted.length * PERCENTILE) - 1] ?? 0
}

function nameOf(workspaceId: WorkspaceId, { id }: Model): string {
  return `${workspaceId} ${id}`
}
