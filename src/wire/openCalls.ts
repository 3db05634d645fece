import { madeCallId } from './toolCallIds.ts'

/** What a piece of a tool call says of the call that it belongs to. */
export interface CallPiece {
  /** The provider's own index, which need not be the ordinal. */
  readonly source: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
}

interface OpenCall {
  readonly id: string
  readonly source: number | undefined
  /** As far as it has come. */
  name: string
  /** Its arguments have not begun. */
  bare: boolean
  /** The list of pieces that it was in last. */
  list: number
}

/** The tool calls of one choice that a stream has opened, by ordinal. Finding one takes as long among many as among few. */
export interface OpenCalls {
  /** How many there are: the ordinal of the next. */
  count(): number
  /** The pieces that follow stand side by side: those that bring a name belong to different calls. */
  beginList(): void
  /** The ordinal of the call that a piece belongs to; undefined where it begins another one. */
  find(piece: CallPiece): number | undefined
  /** Opens a call. Its id is `piece.id`, or one that is made. */
  open(piece: CallPiece): { readonly ordinal: number; readonly id: string }
  /** What a later piece adds to the name of its call: nothing where it repeats it. */
  nameMore(ordinal: number, name: string | undefined): string | undefined
  /** Arguments of the call have come. */
  hasArguments(ordinal: number): void
}

/** @param completionId names the calls that come without an id */
export function openCalls(completionId: string): OpenCalls {
  const calls: OpenCall[] = []
  /** The last ordinal of each. */
  const bySource = new Map<number, number>()
  const byId = new Map<string, number>()
  let list = 0

  /** Whether a piece that names a call that is open already begins another one. */
  function isOther(call: OpenCall, { source, id, name }: CallPiece): boolean {
    if (name === undefined) return false
    if (call.list === list || (id !== undefined && id !== call.id)) return true
    if (call.name === '' || name === call.name) return false
    // A name can come in pieces, where an index holds them together, and before the arguments.
    return source === undefined || !call.bare
  }

  function lookUp({ source, id, name }: CallPiece): number | undefined {
    const named = id === undefined ? undefined : byId.get(id)
    if (source !== undefined) {
      // Some give all calls one index, and tell them apart by their ids.
      return named !== undefined && calls[named]?.source === source ? named : bySource.get(source)
    }
    if (id !== undefined) return named
    return name === undefined && calls.length > 0 ? calls.length - 1 : undefined
  }

  return {
    count: () => calls.length,
    beginList: () => void (list += 1),
    find(piece) {
      const ordinal = lookUp(piece)
      const call = ordinal === undefined ? undefined : calls[ordinal]
      if (!call || isOther(call, piece)) return undefined
      call.list = list
      return ordinal
    },
    open({ source, id: given, name = '' }) {
      const ordinal = calls.length
      const id = given ?? madeCallId(completionId, ordinal)
      calls.push({ id, source, name, bare: true, list })
      if (source !== undefined) bySource.set(source, ordinal)
      byId.set(id, ordinal)
      return { ordinal, id }
    },
    nameMore(ordinal, name) {
      const call = calls[ordinal]
      if (!call || name === undefined || name === call.name) return undefined
      if (!call.bare && call.name !== '') return undefined
      call.name += name
      return name
    },
    hasArguments(ordinal) {
      const call = calls[ordinal]
      if (call) call.bare = false
    },
  }
}
