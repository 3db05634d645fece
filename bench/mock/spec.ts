/** How the mock provider answers a call. The `x-mock` header says so; through a gateway, the model's name does. */
export interface MockSpec {
  /** From the request until the first byte, in milliseconds. */
  readonly ttft: number
  /** Content chunks of a stream. */
  readonly chunks: number
  /** Between two chunks, in milliseconds; 0 sends them in one turn, each in a write of its own. */
  readonly gap: number
  /** Size of one chunk, or of a whole answer. */
  readonly bytes: number
  /** What an answer reports as its completion; 0: 160, or a stream's chunks. */
  readonly tokens: number
  /** Behind a gateway: which format the provider speaks. The mock itself answers as it is asked. */
  readonly format: MockFormat
}

export type MockFormat = 'chat' | 'messages' | 'responses'

const DEFAULTS: MockSpec = { ttft: 0, chunks: 100, gap: 10, bytes: 0, tokens: 0, format: 'chat' }

/** `ttft=50,chunks=200` with what is left out at its default. */
export function parseSpec(text: string): MockSpec {
  const spec: Record<string, unknown> = { ...DEFAULTS }
  const [, format] = /format=(messages|responses)/.exec(text) ?? []
  if (format !== undefined) spec['format'] = format
  for (const [, name, value] of text.matchAll(/(ttft|chunks|gap|bytes|tokens)=(\d+)/g)) {
    spec[name ?? ''] = Number(value)
  }
  return spec as unknown as MockSpec
}

export function formatSpec(spec: Partial<MockSpec>): string {
  return Object.entries(spec)
    .map(([name, value]) => `${name}=${value}`)
    .join(',')
}
