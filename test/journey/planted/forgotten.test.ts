import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { DataPlaneEndpoint } from '../../../src/http/dataPlane/endpoint.ts'
import type { PricedEndpoint } from '../../../src/pipeline/priced.ts'
import type { CallerCodec, StreamEncoder } from '../../../src/wire/wire.ts'
import { endpointViolations } from '../../house/endpointRules.ts'
import { rerank, type rerankEndpoint } from './rerank.ts'

/** Whether the compiler takes a value of one type for another. */
type Takes<Wanted, Given> = Given extends Wanted ? true : false

/** Of each member: whether the compiler takes the value without it. `npm run check:types` fails where one is `true`. */
type TakenWithout<Wanted, Given extends Wanted = Wanted> = {
  readonly [Member in keyof Wanted]-?: Takes<Wanted, Omit<Given, Member>>
}

test('the compiler asks for each step of an endpoint that costs money', () => {
  type Rerank = Omit<typeof rerankEndpoint, 'callersNames' | 'recall'>
  const without = { decode: false, prompt: false, fit: false, attempt: false, reply: false } as const
  const rerankWithout: TakenWithout<Rerank> = without
  const steps: readonly (keyof PricedEndpoint<never, never>)[] = [
    'decode',
    'prompt',
    'fit',
    'attempt',
    'reply',
  ]
  expect(Object.keys(rerankWithout)).toEqual([...steps])
})

test('the compiler asks for each part of an endpoint, and for how a broken stream ends', () => {
  const endpoint: TakenWithout<Omit<DataPlaneEndpoint, 'idHeader' | 'otherFormats'>> = {
    method: false,
    path: false,
    description: false,
    idPrefix: false,
    encodeError: false,
    answer: false,
  }
  const encoder: TakenWithout<StreamEncoder> = { push: false, end: false, fail: false }
  const codec: TakenWithout<Omit<CallerCodec, 'callersNames'>> = {
    decodeRequest: false,
    encodeResponse: false,
    encodeStream: false,
    encodeError: false,
  }
  expect([endpoint, encoder, codec].flatMap((members) => Object.values(members))).not.toContain(true)
})

test('the checks ask for its row in docs/api.md and for a test that calls it', () => {
  const served = [{ method: rerank.method, path: rerank.path }]
  const page = { file: 'docs/api.md', below: '/v1/', without: '', text: readFileSync('docs/api.md', 'utf8') }
  expect(endpointViolations({ served, described: served, pages: [page], journeys: '' })).toEqual([
    expect.stringContaining('POST /v1/rerank is not in docs/api.md'),
    expect.stringContaining('POST /v1/rerank is called by no test'),
  ])
})
