const PATH = /\/models\/(.+):(generateContent|streamGenerateContent)$/

/** What the path of a Gemini call says, to be added to its body; undefined for any other path. */
export function readRequestPath(path: string): { model: string; stream: boolean } | undefined {
  const match = PATH.exec(path.split('?', 1)[0] ?? '')
  const [, name, method] = match ?? []
  if (name === undefined) return undefined
  try {
    return { model: decodeURIComponent(name), stream: method === 'streamGenerateContent' }
  } catch {
    // A percent sign that encodes nothing.
    return undefined
  }
}
