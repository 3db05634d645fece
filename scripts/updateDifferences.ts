// Renews docs/differences.md: bin/bun run scripts/updateDifferences.ts
import { fileURLToPath } from 'node:url'
import { differencesPage } from '../test/conversations/differencesPage.ts'

const PAGE = fileURLToPath(new URL('../docs/differences.md', import.meta.url))

await Bun.write(PAGE, differencesPage())
