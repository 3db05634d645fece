/** The path of a call: this format names the model and the way of answering there, not in the body. */
export function requestPath(modelId: string, stream: boolean): string {
  return `/model/${encodeURIComponent(modelId)}/${stream ? 'converse-stream' : 'converse'}`
}
