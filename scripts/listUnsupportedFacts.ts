// Lists the facts of the catalogue that no recording, list or page supports, each with the reason: npm run list:unsupported
import { countFacts } from './unsupportedFacts.ts'

const { rows, facts, supported, unsupported } = countFacts()
console.log(`${rows} models, ${facts} facts, ${supported} supported, ${unsupported.length} not:`)
for (const line of unsupported) console.log(line)
