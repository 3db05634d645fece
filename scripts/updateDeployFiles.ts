// Renews the files that docs/deploy.md shows: bin/bun run scripts/updateDeployFiles.ts
import { fileURLToPath } from 'node:url'
import { withDeployFiles } from './deployFiles.ts'

const PAGE = fileURLToPath(new URL('../docs/deploy.md', import.meta.url))

await Bun.write(PAGE, withDeployFiles(await Bun.file(PAGE).text()))
