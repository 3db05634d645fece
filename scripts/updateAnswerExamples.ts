// Renews what the reference shows as answers: bin/bun run scripts/updateAnswerExamples.ts
import { fileURLToPath } from 'node:url'
import { openReference, tellStory } from '../test/documents/referenceStory.ts'

const FILE = fileURLToPath(new URL('../src/http/docs/answerExamples.json', import.meta.url))

await using reference = await openReference()
const { examples } = await tellStory(reference)
await Bun.write(FILE, `${JSON.stringify(examples, null, 2)}\n`)
