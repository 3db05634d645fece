// Builds dist/tollgate, the program as one file: npm run build [-- --record FILE], to build the same file again
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { buildOneFile } from './oneFile.ts'

const OUTFILE = join(import.meta.dir, '../dist/tollgate')

const { values } = parseArgs({ options: { record: { type: 'string' } } })
const began = performance.now()
const { bytes, commit } = await buildOneFile(OUTFILE, values.record)
const seconds = ((performance.now() - began) / 1_000).toFixed(1)
const name = relative(process.cwd(), OUTFILE)
console.log(`${name}: ${Math.round(bytes / 1e6)} MB, in ${seconds} s, of ${commit ?? 'an unknown commit'}`)
