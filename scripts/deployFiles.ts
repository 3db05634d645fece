import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
/** The pages that show files of `deploy/`. */
export const PAGES: readonly string[] = ['docs/deploy.md', 'docs/monitoring.md']

/** A block of a page that shows a file: `<!-- not run: deploy/nginx.conf -->`, then the fence. */
const BLOCK = /(<!-- not run: (deploy\/[\w./-]+) -->\n```\w*\n)[^]*?(?=\n```\n)/g

/** The page with the files of `deploy/` as they are. */
export function withDeployFiles(page: string): string {
  return page.replace(
    BLOCK,
    (_, begin: string, file: string) => begin + readFileSync(join(ROOT, file), 'utf8').trimEnd(),
  )
}

/** The files that the page shows. */
export function shownFiles(page: string): string[] {
  return Array.from(page.matchAll(BLOCK), ([, , file = '']) => file)
}
