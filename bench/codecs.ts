/**
 * What the codecs cost: bin/bun bench/codecs.ts. Translated lanes beside the native one, without sockets,
 * pipeline or store. Fails when a translated stream costs more than twice a native one.
 */
import { WIRE_FORMATS, type WireFormatId } from '../src/wire/formats.ts'
import {
  type Caller,
  type Lane,
  laneOf,
  relayStream,
  translateAnswer,
  translateRequest,
} from './codecs/lanes.ts'
import { measure } from './codecs/measure.ts'
import { CHUNKS, LONG_REQUEST, SHORT_REQUEST } from './codecs/samples.ts'

/** What a translated stream may cost, in native ones. */
const STREAM_RATIO_MAX = 2

interface Discipline {
  readonly name: string
  readonly run: (lane: Lane) => string
  /** What one run is divided by. */
  readonly per: number
  readonly isStream: boolean
  readonly without?: readonly WireFormatId[]
}

const DISCIPLINES: readonly Discipline[] = [
  stream('text chunk', 'text'),
  stream('reasoning chunk', 'thoughts'),
  // Google's calls come whole: there are no chunks to compare.
  { ...stream('tool argument chunk', 'calls'), without: ['google-generate'] },
  stream('text chunk, for a caller of Messages', 'text', 'messages'),
  stream('reasoning chunk, for a caller of Messages', 'thoughts', 'messages'),
  stream('text chunk, for a caller of Responses', 'text', 'responses'),
  whole('short request', ({ format }) => translateRequest(format, SHORT_REQUEST)),
  whole('long request with tools', ({ format }) => translateRequest(format, LONG_REQUEST)),
  whole('whole answer', ({ format, answer }) => translateAnswer(format, answer)),
]

const lanes = (Object.keys(WIRE_FORMATS) as WireFormatId[]).map(laneOf)
let exceeded = false
for (const { name, run, per, isStream, without = [] } of DISCIPLINES) {
  const contestants = lanes.filter(({ format }) => !without.includes(format))
  const times = measure(new Map(contestants.map((lane) => [lane.format, () => run(lane)])))
  const native = times.get('openai-chat') ?? Number.NaN
  console.log(`\n${name}`)
  for (const [format, time] of times) {
    const ratio = time / native
    const tooMuch = isStream && ratio > STREAM_RATIO_MAX
    exceeded ||= tooMuch
    const microseconds = (time / per / 1000).toFixed(3).padStart(9)
    const mark = tooMuch ? `  more than ${STREAM_RATIO_MAX}` : ''
    console.log(`  ${format.padEnd(20)}${microseconds} µs${ratio.toFixed(2).padStart(8)} ×${mark}`)
  }
}
process.exitCode = exceeded ? 1 : 0

function stream(name: string, sample: 'text' | 'thoughts' | 'calls', caller: Caller = 'chat'): Discipline {
  return { name, run: (lane) => relayStream(lane.format, lane[sample], caller), per: CHUNKS, isStream: true }
}

function whole(name: string, run: Discipline['run']): Discipline {
  return { name, run, per: 1, isStream: false }
}
