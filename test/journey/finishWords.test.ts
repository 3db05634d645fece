import { expect, test } from 'bun:test'
import { jsonOf, streamOf } from '../support/readAnswer.ts'
import {
  type RecordedRequest,
  openaiChunk,
  openaiCompletion,
  openaiUsageChunk,
  respond,
  sse,
  stream,
} from '../support/scriptedProvider.ts'
import { type World, standardConfig, startWorld } from '../support/world.ts'

/** Says "Hello" and ends with a word that no list has. */
function endsWeirdly({ body }: RecordedRequest) {
  const isStream = typeof body === 'object' && body !== null && 'stream' in body && body.stream === true
  if (!isStream) return respond({ body: openaiCompletion('Hello', { finishReason: 'Weird' }) })
  return stream([
    openaiChunk({ role: 'assistant', content: 'Hello' }),
    openaiChunk({}, { finishReason: 'Weird' }),
    openaiUsageChunk(),
    sse('[DONE]'),
  ])
}

function worldWith(quirks: Readonly<Record<string, unknown>>): Promise<World> {
  return startWorld({
    provider: endsWeirdly,
    config(scripted) {
      const config = standardConfig(scripted)
      const { acme } = config['providers'] as { acme: object }
      return { ...config, providers: { acme: { ...acme, quirks } } }
    },
  })
}

/** The finish reason of an answer, whole and streamed. */
async function reasonsOf(world: World): Promise<readonly unknown[]> {
  const whole = await jsonOf(await world.chat({ max_tokens: 20 }))
  const streamed = await streamOf(await world.chat({ max_tokens: 20, stream: true }))
  await world.settled()
  expect(JSON.stringify([whole, streamed])).not.toMatch(/weird/i)
  const reasonIn = (choices: unknown) =>
    (choices as readonly { finish_reason: unknown }[]).map(({ finish_reason: reason }) => reason)
  return [
    ...reasonIn(whole['choices']),
    ...streamed.chunks.flatMap(({ choices }) => reasonIn(choices)),
  ].filter((reason) => reason !== null)
}

async function countedIn(world: World): Promise<readonly string[]> {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  return text.split('\n').filter((line) => line.startsWith('tollgate_unknown_finish_words_total{'))
}

test('an answer that ends with an unknown word is told as cut, charged, and counted with the word', async () => {
  await using world = await worldWith({})
  expect(await reasonsOf(world)).toEqual(['length', 'length'])
  const { data } = await world.operations.requests({})
  expect(data.map(({ ending }) => ending)).toEqual(['length', 'length'])
  for (const { charge_usd: charge } of data) expect(charge).not.toBe('0.00')
  expect(await countedIn(world)).toEqual([
    'tollgate_unknown_finish_words_total{provider="acme",word="Weird"} 2',
  ])
  const [acme] = (await world.operations.providers()).data
  expect(acme?.routes).toMatchObject([{ circuit: 'closed', failures: 0 }])
})

test('a word that the configuration explains ends an answer as it says, whatever its case', async () => {
  await using world = await worldWith({ finish_reasons: { wEIRD: 'stop' } })
  expect(await reasonsOf(world)).toEqual(['stop', 'stop'])
  expect(await countedIn(world)).toEqual([])
})
