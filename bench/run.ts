/**
 * Measures the gateway beside a direct call and a plain nginx, all on this machine (docs/benchmark.md).
 * Run with `npm run bench`, `-- --quick` for a brief form, `-- --only saturated,spaced` for some of
 * the loads, `-- --alone` for the gateway alone, `-- --profile` for its hottest functions, `-- --before PATH` for another
 * version beside it, `-- --program PATH` for another program than this checkout's, `-- --rounds N` for more certainty.
 */
import { runBench } from './bench.ts'
import { readOptions } from './options.ts'
import { report } from './report.ts'

const result = await runBench(readOptions(process.argv.slice(2)), (text) => console.error(text))
console.log(report(result))
process.exitCode = result.discrepancies.length === 0 ? 0 : 1
