import type { RequestId, WorkspaceId } from '../id.ts'

/** What is kept at most. Of a workspace the oldest answers make room for new ones. */
export const KEPT_RESPONSES_MAX = {
  perWorkspace: {
    /** UTF-8 bytes of input and answers. */
    bytes: 64 * 1024 * 1024,
    answers: 10_000,
    /** Those that can be found by their ids. */
    items: 200_000,
  },
  /** An answer with more is not kept. */
  perAnswer: { bytes: 16 * 1024 * 1024, items: 10_000 },
  /** An answer after so many is not kept. */
  answersInChain: 1_000,
} as const

/** Where an item is: its place in the list of input, or in the answer's `output`, from 0. */
export interface ItemPlace {
  /** Items with ids that are not 1 to 200 visible ASCII characters are kept, but are not found by their ids. */
  readonly id: string
  readonly from: 'input' | 'output'
  readonly place: number
}

/** The target that made an answer. */
export interface MadeBy {
  readonly provider: string
  readonly upstreamModel: string
  /** Names a credential of the configuration; never the secret. */
  readonly credential: string
}

/** An answer of `POST /v1/responses`, with what its request brought. */
export interface KeptResponse {
  /** `resp_…` */
  readonly id: RequestId
  readonly workspaceId: WorkspaceId
  /** The answer that this one goes on from. */
  readonly previousId: RequestId | null
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Of all answers of its conversation together, in milliseconds since the epoch. */
  readonly expiresAt: number
  /** A JSON list: the items that its request brought, without those of the answers before it. */
  readonly input: string
  /** A JSON object, as its caller received it. */
  readonly response: string
  readonly madeBy: MadeBy | null
}

export type NewKeptResponse = KeptResponse & { readonly items: readonly ItemPlace[] }

/** What is read for a request. */
export interface KeptReading {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly keepUntil: number
  /** Whether so many bytes may be read; if not, the result is `too_large`. Asked once, before they are read. */
  readonly mayRead: (bytes: number) => boolean
}

/** An item that was found by its id. */
export interface KeptItem {
  /** As it was written. */
  readonly json: string
  /** Null for an item of input: its maker is not known. */
  readonly madeBy: MadeBy | null
}

/**
 * The memory of Responses (docs/configuration.md#responses). Answers that go on from each other are one conversation, with all its
 * branches, and expire together: using one of them renews all.
 */
export interface KeptResponses {
  /** Makes room first. An id that is kept already changes nothing. False: it is beyond `KEPT_RESPONSES_MAX`, and not kept. */
  keep(kept: NewKeptResponse): Promise<boolean>
  /**
   * An answer and all before it, the oldest first; keeps them until `keepUntil` at least. Undefined where one of them is
   * not there, has expired, or belongs to another workspace.
   */
  chain(
    workspaceId: WorkspaceId,
    id: RequestId,
    reading: KeptReading,
  ): Promise<readonly KeptResponse[] | 'too_large' | undefined>
  /** Undefined where it is not there, has expired, or belongs to another workspace. */
  response(
    workspaceId: WorkspaceId,
    id: RequestId,
    reading: Pick<KeptReading, 'at' | 'mayRead'>,
  ): Promise<KeptResponse | 'too_large' | undefined>
  /**
   * Items by their ids; unknown ones are absent. Of several under one id it gives what a model made before what a caller
   * sent, and the newest of those. Keeps their conversations until `keepUntil` at least.
   */
  items(
    workspaceId: WorkspaceId,
    ids: readonly string[],
    reading: KeptReading,
  ): Promise<ReadonlyMap<string, KeptItem> | 'too_large'>
  /** Deletes an answer and its items. False where there is no such answer in the workspace. */
  forget(workspaceId: WorkspaceId, id: RequestId): Promise<boolean>
  /** Deletes what has expired; returns how many answers. */
  expire(at: number): Promise<number>
}
