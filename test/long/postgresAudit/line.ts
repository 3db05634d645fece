import { type BadLine, badLineTo, type LinePiece, type PieceFate } from '../../support/postgres-proxy.ts'

/** What the server sends when it has committed. */
const COMMITTED = 'COMMIT\0'
/** What a process sends on the connection that settles; once, since it is prepared there. */
const SETTLES = 'INSERT INTO usage_records'

/** A line to a server with the faults that networks have. Each fault ends when its promise resolves. */
export interface FaultyLine extends Pick<BadLine, 'url' | 'leadTo' | 'close'> {
  /** Lets every COMMIT through and holds its answer back. Gives how many it held. */
  holdAnswers(ms: number): Promise<number>
  /** From the answer to the COMMIT of a settlement on nothing comes back: nobody can find out whether it was committed. */
  holdFromSettlement(ms: number): Promise<void>
  /** Lets every COMMIT through and cuts the connection before its answer, until so many were lost. */
  loseAnswers(count: number): Promise<void>
  /** Swallows everything; and every connection of before its end is dead for good, without a word. */
  blackHole(ms: number): Promise<void>
  /** Delivers nothing, and everything at its end: as TCP does that sends again what the network swallowed. */
  standStill(ms: number): Promise<void>
}

export async function faultyLineTo(url: string): Promise<FaultyLine> {
  const fine = (): PieceFate => false
  let fate: (piece: LinePiece) => PieceFate = fine
  let opened = 0
  const settling = new Set<number>()
  const line = await badLineTo(url, (piece) => {
    opened = Math.max(opened, piece.connection)
    if (piece.from === 'client' && piece.data.includes(SETTLES)) settling.add(piece.connection)
    return fate(piece)
  })
  async function during(ms: number, fault: (piece: LinePiece) => PieceFate): Promise<void> {
    fate = fault
    await Bun.sleep(ms)
    fate = fine
  }
  const commits = ({ from, data }: LinePiece): boolean => from === 'server' && data.includes(COMMITTED)
  return {
    url: line.url,
    leadTo: (other) => line.leadTo(other),
    close: () => line.close(),
    async holdAnswers(ms) {
      let held = 0
      await during(ms, (piece) => (commits(piece) && ++held ? 'hold' : false))
      line.letGo()
      return held
    },
    async holdFromSettlement(ms) {
      const committed = Promise.withResolvers<void>()
      let holds = false
      fate = (piece) => {
        if (!holds && commits(piece) && settling.has(piece.connection)) {
          holds = true
          committed.resolve()
        }
        return holds && piece.from === 'server' ? 'hold' : false
      }
      await committed.promise
      await Bun.sleep(ms)
      fate = fine
      line.letGo()
    },
    async loseAnswers(count) {
      const enough = Promise.withResolvers<void>()
      let left = count
      fate = (piece) => {
        if (!commits(piece)) return false
        if (--left === 0) enough.resolve()
        return true
      }
      await enough.promise
      fate = fine
    },
    async blackHole(ms) {
      await during(ms, () => 'swallow')
      const dead = opened
      fate = ({ connection }) => (connection <= dead ? 'swallow' : false)
    },
    async standStill(ms) {
      await during(ms, () => 'hold')
      line.letGo()
    },
  }
}
