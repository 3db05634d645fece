// Sends recorded calls through the gateway and prints what differs, by kind: npm run replay -- FOLDER [--own | --to=FORMAT] [--files]
import { existsSync } from 'node:fs'
import { WIRE_FORMAT_IDS } from '../src/wire/formats.ts'
import { readRecorded } from './replay/recordedCall.ts'
import { replay } from './replay/replay.ts'
import { reportOf } from './replay/report.ts'

const USAGE = `Usage: npm run replay -- FOLDER [--own | --to=FORMAT] [--files]

Sends every recorded call below FOLDER through a gateway of its own, against a provider on this machine that answers the
recorded bytes: asked whole and streamed, whichever was recorded. Prints, by kind, how often an answer says something else
than the recorded one, and what of a request was sent otherwise.

  --own     asks each call at the endpoint of its own format, as it was recorded, and compares every value
  --to=…    the same with a provider of another wire format: what its caller gets otherwise, and what is left out
  --files   every file of a kind, not the first three

The format of the files: CONTRIBUTING.md, "Replay recorded calls".`

const words = process.argv.slice(2)
const folders = words.filter((word) => !word.startsWith('--'))
const format = words.find((word) => word.startsWith('--to='))?.slice('--to='.length)
const to = WIRE_FORMAT_IDS.find((id) => id === format)
const known = ['--files', '--own', ...(to === undefined ? [] : [`--to=${to}`])]
const unknown = words.find((word) => word.startsWith('--') && !known.includes(word))
const [folder] = folders
if (folder === undefined || folders.length > 1 || unknown !== undefined) {
  console.error(USAGE)
  process.exit(2)
}
if (!existsSync(folder)) {
  console.error(`There is no folder ${folder}.`)
  process.exit(2)
}
const recorded = await readRecorded(folder)
const findings = await replay(
  recorded.calls,
  (done, of) => {
    if (process.stderr.isTTY || done % 100 === 0) process.stderr.write(`${done} of ${of}\r`)
  },
  to === undefined ? (words.includes('--own') ? 'own' : 'chat') : { to },
)
console.log(reportOf(recorded, findings, words.includes('--files')))
