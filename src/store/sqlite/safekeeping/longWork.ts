import { ownFile } from '../../../program.ts'

/** What blocks the thread that does it for as long as the database is large. */
export type LongWork =
  /** Copies the database of one moment, with what its write-ahead log holds, into an empty file. */
  | { readonly kind: 'copy'; readonly from: string; readonly to: string; readonly readonly: boolean }
  /** Reads every page and every index. */
  | { readonly kind: 'check'; readonly file: string }

/** `mistakes`: what SQLite finds wrong with the file; empty after a copy. */
export type LongWorkAnswer =
  | { readonly ok: true; readonly mistakes: readonly string[] }
  | { readonly ok: false; readonly message: string }

/** Has it done in a thread of its own, so that the command can show how far it is. */
export function doInThread(work: LongWork): Promise<LongWorkAnswer> {
  const thread = new Worker(ownFile('src/store/sqlite/safekeeping/longWorkThread.ts'))
  const { promise, resolve } = Promise.withResolvers<LongWorkAnswer>()
  thread.addEventListener('message', ({ data }: MessageEvent<LongWorkAnswer>) => resolve(data))
  thread.addEventListener('error', ({ message }) => resolve({ ok: false, message }))
  thread.postMessage(work, { transfer: [] })
  return promise.finally(() => thread.terminate())
}
