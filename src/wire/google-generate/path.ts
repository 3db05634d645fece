/** The path of a call: this format names the model and the way of answering there, not in the body. */
export function requestPath(model: string, stream: boolean): string {
  const name = model
    .replace(/^models\//, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/')
  return `/models/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
}
