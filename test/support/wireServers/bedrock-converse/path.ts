/** What the path of a Converse call says, to be added to its body. */
export interface RequestPath {
  readonly modelId: string
  readonly stream: boolean
}

/** Reads `/model/{id}/converse` and `/model/{id}/converse-stream`; undefined for any other path. */
export function readRequestPath(path: string): RequestPath | undefined {
  const match = /^\/model\/([^/]+)\/converse(-stream)?$/.exec(path)
  if (match?.[1] === undefined) return undefined
  try {
    return { modelId: decodeURIComponent(match[1]), stream: match[2] !== undefined }
  } catch {
    // A percent sign that encodes nothing.
    return undefined
  }
}
