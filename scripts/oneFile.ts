import { chmod, copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dir, '..')

/** What the program starts by path, in threads of their own (`ownFile` of `src/program.ts`). */
export const THREADS: readonly string[] = [
  'src/store/sqlite/checkpointThread.ts',
  'src/store/sqlite/safekeeping/longWorkThread.ts',
  'src/tokens/tokenizerWorker.ts',
]
/** What the program reads by path. */
export const ASSETS: readonly string[] = [
  'docs',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
]
/** Parts of libraries that are loaded with them and never used: each costs memory and time of the start. */
const UNUSED: readonly { readonly files: RegExp; readonly instead: string }[] = [
  { files: /\/zod\/v4\/locales\/index\.js$/, instead: `export { default as en } from './en.js'` },
  // They load the network modules of Node.
  { files: /\/prom-client\/lib\/(?:cluster|pushgateway)\.js$/, instead: 'module.exports = undefined' },
  // Logs that are written by a thread. The second has the folder of its sources inside, which differs by machine.
  { files: /\/thread-stream\/index\.js$/, instead: 'module.exports = undefined' },
  { files: /\/pino\/lib\/transport\.js$/, instead: 'module.exports = undefined' },
]
/**
 * A start is run by the interpreter: compiling what runs once costs time and 10 MB. `main.ts` ends this with the
 * first request.
 */
const START_JIT_POLICY = 1_000
/** The record that a file was built with is beside it, with this ending. */
export const RECORD_ENDING = '.order'
/** The start that is recorded is over by then, in milliseconds; else there is something wrong with it. */
const RECORDING_MAX_MS = 60_000

export interface BuiltFile {
  readonly bytes: number
  /** Git's name of the sources; null: unknown. */
  readonly commit: string | null
}

/**
 * Builds the whole program as one file, for this machine's system and processor. It is built twice: the first one records
 * which functions a start uses, and the second holds them side by side, so that it starts sooner and reads less of the
 * file into memory. The record is kept beside the file. No two starts call functions in the same order, so only the same
 * sources with the same record, built to a file of the same name, give the same bytes. Throws where the sources cannot be
 * built, or where what was built does not serve a call.
 * @param record that of an earlier build, to build the same file again; absent: it is made
 */
export async function buildOneFile(outfile: string, record?: string): Promise<BuiltFile> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-build-'))
  try {
    const commit = commitOfSources()
    const order = record ?? (await recordOfFirstBuild(folder, commit))
    await mkdir(dirname(outfile), { recursive: true })
    await compile(outfile, commit, order)
    const kept = outfile + RECORD_ENDING
    if (order !== kept) await copyFile(order, kept)
    // The runtime writes it for its owner alone.
    await chmod(kept, 0o644)
    return { bytes: (await stat(outfile)).size, commit }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Builds a first file into the folder, and records a start of it there. */
async function recordOfFirstBuild(folder: string, commit: string | null): Promise<string> {
  const first = join(folder, 'tollgate')
  const order = join(folder, 'order')
  await compile(first, commit, false)
  await recordStart(first, folder, order)
  return order
}

/** @param order the record of a start; false: there is none yet */
async function compile(outfile: string, commit: string | null, order: string | false): Promise<void> {
  // The file's own folder, and below it what has the path that it has in the repository.
  const inside = 'file:///$bunfs/root/'
  const result = await Bun.build({
    entrypoints: ['src/main.ts', ...THREADS].map((path) => join(ROOT, path)),
    root: ROOT,
    target: 'bun',
    format: 'esm',
    minify: true,
    sourcemap: 'linked',
    splitting: true,
    bytecode: true,
    naming: { entry: '[dir]/[name].[ext]', chunk: 'src/[name]-[hash].[ext]' },
    plugins: [{ name: 'unused', setup: leaveOutUnused }],
    define: { TOLLGATE_BUILD: JSON.stringify({ root: inside, commit }) },
    compile: {
      outfile,
      assets: [...ASSETS],
      bytecodeOrder: order,
      jitPolicy: START_JIT_POLICY,
      // Nothing in the current folder configures the program.
      autoloadBunfig: false,
      autoloadDotenv: false,
      autoloadPackageJson: false,
      autoloadTsconfig: false,
    },
    throw: false,
  })
  if (!result.success) throw new AggregateError(result.logs, `the sources cannot be built into ${outfile}`)
}

function leaveOutUnused(builder: Bun.PluginBuilder): void {
  for (const { files, instead } of UNUSED)
    builder.onLoad({ filter: files }, () => ({ contents: instead, loader: 'js' }))
}

/** Starts a gateway as at the first start in a new folder, makes a call, and ends it: at its end it writes the record. */
async function recordStart(program: string, folder: string, order: string): Promise<void> {
  await using gateway = Bun.spawn([program, 'serve', '--port', '0'], {
    cwd: folder,
    env: { BUN_BYTECODE_ORDER_OUT: order },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: RECORDING_MAX_MS,
  })
  const { url, key } = await demoOf(gateway.stdout)
  for (const stream of [false, true]) {
    const body = JSON.stringify({
      model: 'demo/chat',
      stream,
      messages: [{ role: 'user', content: 'Hello' }],
    })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    if (!response.ok)
      throw new Error(`the built program answers ${response.status}: ${await response.text()}`)
    await response.text()
  }
  gateway.kill('SIGTERM')
  const code = await gateway.exited
  if (code !== 0) throw new Error(`the built program ended with ${code}`)
}

/** The address and the key of the demo, as its banner has them. */
async function demoOf(output: ReadableStream<Uint8Array>): Promise<{ url: string; key: string }> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const bytes of output) {
    text += decoder.decode(bytes, { stream: true })
    const url = /listens on (\S+)/.exec(text)?.[1]
    const key = /\btg_\w+/.exec(text)?.[0]
    if (url !== undefined && key !== undefined) return { url, key }
  }
  throw new Error(`the built program does not listen: ${text}`)
}

/** `TOLLGATE_COMMIT` where the sources come without Git's folder, as in the build of an image; null: unknown. */
function commitOfSources(): string | null {
  const given = process.env['TOLLGATE_COMMIT']
  if (given !== undefined && given !== '') return given
  const git = (...words: string[]) => {
    const { success, stdout } = Bun.spawnSync(['git', ...words], { cwd: ROOT, stderr: 'ignore' })
    return success ? stdout.toString().trim() : undefined
  }
  const commit = git('rev-parse', 'HEAD')
  if (commit === undefined) return null
  return git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit} with changes`
}
