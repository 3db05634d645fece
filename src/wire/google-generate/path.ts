const PATH = /\/models\/(.+):(generateContent|streamGenerateContent)$/

/** The path of a call: this format names the model and the way of answering there, not in the body. */
export function requestPath(model: string, stream: boolean): string {
  const name = model
    .replace(/^models\//, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/')
  return `/models/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}

/** What a path says, for the door to add to the body as `model` and `stream`; undefined: another path. */
export function readRequestPath(path: string): { model: string; stream: boolean } | undefined {
  const match = PATH.exec(path.split('?', 1)[0] ?? '')
  const [, name, method] = match ?? []
  if (name === undefined) return undefined
  try {
    return { model: decodeURIComponent(name), stream: method === 'streamGenerateContent' }
  } catch {
    return undefined
  }
}
