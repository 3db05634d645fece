// Writes the official prices of the catalogue's models into src/catalog/officialPrices.json, from @pydantic/genai-prices
// or from the row that states one: bin/bun run scripts/updateCatalog.ts
// Ends with 1 when a model has no price.
import { fileURLToPath } from 'node:url'
import { collectPrices } from './officialPriceFile.ts'

const TARGET = fileURLToPath(new URL('../src/catalog/officialPrices.json', import.meta.url))

const { file, stated, unpriced } = collectPrices()
await Bun.write(TARGET, `${JSON.stringify(file, null, 2)}\n`)
const total = Object.keys(file.models).length
console.log(
  `${total} models priced: ${total - stated.length} from ${file.source}, ${stated.length} by their rows`,
)
for (const line of stated) console.log(`Priced by its row: ${line}.`)
for (const line of unpriced) console.error(`No price: ${line}.`)
if (unpriced.length > 0) process.exitCode = 1
