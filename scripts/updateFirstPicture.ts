// Renews the picture of the README: bin/bun run scripts/updateFirstPicture.ts
import { fileURLToPath } from 'node:url'
import { firstPicture } from './firstPicture.ts'

await Bun.write(
  fileURLToPath(new URL('../docs/images/first-page.svg', import.meta.url)),
  await firstPicture(),
)
