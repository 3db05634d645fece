import { describe, expect, test } from 'bun:test'
import { WIRE_FORMAT_IDS, WIRE_FORMATS, type WireFormatId } from '../../src/wire/formats.ts'
import { frameBytes } from '../support/frameBytes.ts'
import { contentOf, streamOf } from '../support/readAnswer.ts'
import { type Act, comment, hang, stream } from '../support/scriptedProvider.ts'
import { type World, standardConfig, startWorld } from '../support/world.ts'
import { cellOf } from './rule.ts'
import type { Frames } from './column.ts'

// The end of an answer over real sockets: the connection stays open, and the caller has the end all the same.

/** Pings until the gateway closes the connection. */
const PINGS: Act = {
  async play(turn) {
    while (!turn.over) {
      await turn.body(comment('ping'))
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  },
}

function worldOf(wire: WireFormatId, parts: (frames: Frames) => Frames[keyof Frames]): Promise<World> {
  const frames = parts(cellOf(wire).frames({})).map((frame) => frameBytes(wire, frame))
  const isText = WIRE_FORMATS[wire].framing === 'sse'
  const type = isText ? 'text/event-stream' : 'application/vnd.amazon.eventstream'
  return startWorld({
    provider: stream([...frames, isText ? PINGS : hang()], { headers: { 'content-type': type } }),
    config(scripted) {
      const config = standardConfig(scripted)
      const { acme } = config['providers'] as { acme: object }
      const auth = wire === 'bedrock-converse' ? { auth: 'bearer' } : {}
      return { ...config, providers: { acme: { ...acme, wire, ...auth } } }
    },
  })
}

async function expectWhole(world: World): Promise<void> {
  const answer = await streamOf(await world.chat({ stream: true }))
  expect([answer.done, contentOf(answer)]).toEqual([true, 'Hello'])
  await world.settled()
  const { data } = await world.operations.requests({})
  expect(data).toMatchObject([
    { ending: 'completed', usage: { prompt_tokens: 9, completion_tokens: 6, source: 'reported' } },
  ])
  await world.provider.until(({ connectionsOpen }) => connectionsOpen === 0)
}

describe('an answer is over with its last frame, and where there is none, with silence behind reason and report', () => {
  test.concurrent.each(WIRE_FORMAT_IDS)('%s, all frames', async (wire) => {
    await using world = await worldOf(wire, ({ begin, pieces, end, last }) => [
      ...begin,
      ...pieces,
      ...end,
      ...last,
    ])
    await expectWhole(world)
  })

  const WITHOUT_LAST = WIRE_FORMAT_IDS.filter((wire) => {
    const { begin, pieces, end } = cellOf(wire).frames({})
    const decoder = cellOf(wire).client.decodeStream(1)
    for (const frame of [...begin, ...pieces, ...end]) decoder.push(frame)
    return decoder.state === 'complete'
  })
  test.concurrent.each(WITHOUT_LAST)('%s, without its last frame; pings are silence', async (wire) => {
    await using world = await worldOf(wire, ({ begin, pieces, end }) => [...begin, ...pieces, ...end])
    await expectWhole(world)
  })
})
