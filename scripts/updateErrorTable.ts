// Renews the table of docs/errors/README.md: bin/bun run scripts/updateErrorTable.ts
import { fileURLToPath } from 'node:url'
import { withErrorTable } from './errorTable.ts'

const PAGE = fileURLToPath(new URL('../docs/errors/README.md', import.meta.url))

await Bun.write(PAGE, withErrorTable(await Bun.file(PAGE).text()))
