// Renews the generated part of docs/cli.md: bin/bun run scripts/updateCommandTable.ts
import { fileURLToPath } from 'node:url'
import { withCommandTable } from './commandTable.ts'

const PAGE = fileURLToPath(new URL('../docs/cli.md', import.meta.url))

await Bun.write(PAGE, withCommandTable(await Bun.file(PAGE).text()))
