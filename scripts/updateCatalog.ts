// Takes the official prices of the catalogue's models from @pydantic/genai-prices into
// src/catalog/officialPrices.json: bin/bun run scripts/updateCatalog.ts
import { fileURLToPath } from 'node:url'
import { officialPriceFile } from './officialPriceFile.ts'

const TARGET = fileURLToPath(new URL('../src/catalog/officialPrices.json', import.meta.url))

const file = officialPriceFile()
await Bun.write(TARGET, `${JSON.stringify(file, null, 2)}\n`)
console.log(`${Object.keys(file.models).length} models priced from ${file.source}`)
