// Builds dist/tollgate, the program as one file: npm run build
import { join, relative } from 'node:path'
import { buildOneFile } from './oneFile.ts'

const OUTFILE = join(import.meta.dir, '../dist/tollgate')

const began = performance.now()
const { bytes, commit } = await buildOneFile(OUTFILE)
const seconds = ((performance.now() - began) / 1_000).toFixed(1)
const name = relative(process.cwd(), OUTFILE)
console.log(`${name}: ${Math.round(bytes / 1e6)} MB, in ${seconds} s, of ${commit ?? 'an unknown commit'}`)
