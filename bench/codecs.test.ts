import { expect, test } from 'bun:test'
import { WIRE_FORMATS, type WireFormatId } from '../src/wire/formats.ts'
import { collected, eventsOf } from '../test/support/wireFixtures.ts'
import { framesOfBytes } from '../test/support/streamBytes.ts'
import { laneOf, relayStream, translateAnswer } from './codecs/lanes.ts'
import { WHOLE_ANSWER } from './codecs/samples.ts'

const FORMATS = Object.keys(WIRE_FORMATS) as WireFormatId[]

test.each(FORMATS)('the lane of %s carries whole answers, whatever is timed', (format) => {
  const lane = laneOf(format)
  const read = (text: string) =>
    collected(eventsOf(WIRE_FORMATS['openai-chat'].client, framesOfBytes([new TextEncoder().encode(text)])))
  expect(read(relayStream(format, lane.text))).toEqual(WHOLE_ANSWER)
  expect(read(relayStream(format, lane.thoughts)).choices[0]?.message.reasoning_content).toBe(
    WHOLE_ANSWER.choices[0]?.message.content ?? '',
  )
  const calls = read(relayStream(format, lane.calls)).choices[0]?.message.tool_calls
  expect(calls?.[0]?.function.arguments.length).toBeGreaterThan(2000)
  expect(JSON.parse(translateAnswer(format, lane.answer))).toHaveProperty('choices')
})
