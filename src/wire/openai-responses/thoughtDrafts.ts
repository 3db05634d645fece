import type { ReasoningDetail } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { readNumber } from '../read.ts'

/** A thought while its details are gathered. */
export interface ThoughtDraft {
  readonly id: string | undefined
  readonly place: number | undefined
  readonly details: ReasoningDetail[]
  readonly summary: JsonObject[]
  readonly content: JsonObject[]
  encrypted: string | undefined
}

/** Drafts that share an id or a place, in their order. */
interface Sharing {
  readonly drafts: { readonly draft: ThoughtDraft; readonly ordinal: number }[]
  /** All before it are encrypted. */
  next: number
}

/** The thoughts of a message. A caller may send many: the one that a detail belongs to is looked up. */
export class ThoughtDrafts {
  readonly all: ThoughtDraft[] = []
  readonly #sharing = new Map<string, Sharing>()

  /**
   * The draft that a detail belongs to. Details of one thought have one id or one place; without either they are neighbours.
   * A thought is encrypted once.
   */
  draftOf(detail: ReasoningDetail): ThoughtDraft {
    return this.#find(detail) ?? this.#begin(detail.id, readNumber(detail.index))
  }

  #find(detail: ReasoningDetail): ThoughtDraft | undefined {
    const { id } = detail
    const place = readNumber(detail.index)
    const isEncrypted = detail.type === 'reasoning.encrypted'
    const found = [
      id === undefined ? undefined : this.#first(withId(id), isEncrypted),
      place === undefined ? undefined : this.#first(atPlace(place, id !== undefined), isEncrypted),
    ].filter((each) => each !== undefined)
    const [first] = found.toSorted((a, b) => a.ordinal - b.ordinal)
    if (first) return first.draft
    const latest = this.all.at(-1)
    const isNeighbour = latest?.id === id && latest?.place === place && latest?.encrypted === undefined
    return isNeighbour ? latest : undefined
  }

  #first(key: string, isEncrypted: boolean): Sharing['drafts'][number] | undefined {
    const sharing = this.#sharing.get(key)
    if (!sharing || !isEncrypted) return sharing?.drafts[0]
    while (sharing.drafts[sharing.next]?.draft.encrypted !== undefined) sharing.next += 1
    return sharing.drafts[sharing.next]
  }

  #begin(id: string | undefined, place: number | undefined): ThoughtDraft {
    const draft = { id, place, details: [], summary: [], content: [], encrypted: undefined }
    const placed = { draft, ordinal: this.all.length }
    this.all.push(draft)
    if (id !== undefined) this.#share(withId(id), placed)
    if (place !== undefined) this.#share(atPlace(place, false), placed)
    if (place !== undefined && id === undefined) this.#share(atPlace(place, true), placed)
    return draft
  }

  #share(key: string, placed: Sharing['drafts'][number]): void {
    const sharing = this.#sharing.get(key) ?? { drafts: [], next: 0 }
    sharing.drafts.push(placed)
    this.#sharing.set(key, sharing)
  }
}

function withId(id: string): string {
  return `id ${id}`
}

/** Two different ids are two thoughts, whatever their places. */
function atPlace(place: number, withoutId: boolean): string {
  return withoutId ? `place without id ${place}` : `place ${place}`
}
