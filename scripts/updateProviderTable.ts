// Renews the generated part of docs/providers.md: bin/bun run scripts/updateProviderTable.ts
import { fileURLToPath } from 'node:url'
import { withProviderTable } from './providerTable.ts'

const PAGE = fileURLToPath(new URL('../docs/providers.md', import.meta.url))

await Bun.write(PAGE, withProviderTable(await Bun.file(PAGE).text()))
