import { assert } from './assert.ts'

/** Where a member is: what it leaves with. */
export interface Seat<Member> {
  readonly member: Member
  /** Changes when others leave. */
  place: number
}

/**
 * Members that come and go with every call. In place of a `Set` or a `Map`: in JavaScriptCore, what is deleted from one, or
 * cleared, stays alive until all of the heap is collected. Their tables refer to the tables that took their place, so
 * collections of new objects, which take every older one for alive, find each deleted member and all that it refers to.
 */
export class Roster<Member> {
  readonly #seats: Seat<Member>[] = []

  get size(): number {
    return this.#seats.length
  }

  add(member: Member): Seat<Member> {
    const seat = { member, place: this.#seats.length }
    this.#seats.push(seat)
    return seat
  }

  /** @param seat of a member that has not left */
  remove(seat: Seat<Member>): void {
    assert(this.#seats[seat.place] === seat, 'a member leaves once')
    const last = this.#seats.pop()
    if (last === undefined || last === seat) return
    last.place = seat.place
    this.#seats[seat.place] = last
  }

  /** Those that are there now, in no order. */
  members(): Member[] {
    return this.#seats.map(({ member }) => member)
  }

  sum(amount: (member: Member) => number): number {
    return this.#seats.reduce((sum, { member }) => sum + amount(member), 0)
  }
}
