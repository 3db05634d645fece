// Sends recorded calls through the gateway and prints what differs, by kind: npm run replay -- FOLDER [--own] [--files]
import { existsSync } from 'node:fs'
import { readRecorded } from './replay/recordedCall.ts'
import { replay } from './replay/replay.ts'
import { reportOf } from './replay/report.ts'

const USAGE = `Usage: npm run replay -- FOLDER [--own] [--files]

Sends every recorded call below FOLDER through a gateway of its own, against a provider on this machine that answers the
recorded bytes: asked whole and streamed, whichever was recorded. Prints, by kind, how often an answer says something else
than the recorded one, and what of a request was sent otherwise.

  --own     asks each call at the endpoint of its own format, as it was recorded, and compares every value
  --files   every file of a kind, not the first three

The format of the files: CONTRIBUTING.md, "Replay recorded calls".`

const words = process.argv.slice(2)
const folders = words.filter((word) => !word.startsWith('--'))
const unknown = words.find((word) => word.startsWith('--') && word !== '--files' && word !== '--own')
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
  words.includes('--own') ? 'own' : 'chat',
)
console.log(reportOf(recorded, findings, words.includes('--files')))
