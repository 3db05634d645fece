import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** In a process of its own: it may open few files, opens all of them, tries to connect, and gives them back. */
const SCRIPT = `
  import { closeSync, openSync } from 'node:fs'
  import { isOutOfFiles } from '${join(import.meta.dir, 'outOfFiles.ts')}'
  const before = isOutOfFiles()
  const open = []
  try { for (;;) open.push(openSync('/dev/null', 'r')) } catch {}
  const meanwhile = isOutOfFiles()
  for (const file of open) closeSync(file)
  console.log(JSON.stringify([before, meanwhile, isOutOfFiles()]))
`

test('a process that may open no more files knows it, and no longer than that', async () => {
  const child = Bun.spawn(['sh', '-c', 'ulimit -n 256; exec "$0" -e "$1"', process.execPath, SCRIPT], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  expect(await new Response(child.stdout).json()).toEqual([false, true, false])
})
