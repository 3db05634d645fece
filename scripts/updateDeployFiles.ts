// Renews the files of deploy/ that pages show: bin/bun run scripts/updateDeployFiles.ts
import { fileURLToPath } from 'node:url'
import { PAGES, withDeployFiles } from './deployFiles.ts'

for (const name of PAGES) {
  const page = fileURLToPath(new URL(`../${name}`, import.meta.url))
  await Bun.write(page, withDeployFiles(await Bun.file(page).text()))
}
