import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { endsWithParent } from './endsWithParent.ts'
import { PROGRAM } from './program.ts'

/** A folder of its own for a process: its configuration and its database. */
export interface Folder extends AsyncDisposable {
  readonly path: string
  /** Writes into a file that may be there already. */
  write(name: string, content: unknown): Promise<void>
  /** Puts a new file in the place of the old one, as editors do. */
  replace(name: string, content: unknown): Promise<void>
}

export async function createFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'tollgate-process-'))

  async function write(name: string, content: unknown): Promise<void> {
    await mkdir(dirname(join(path, name)), { recursive: true })
    // JSON is YAML.
    await writeFile(
      join(path, name),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    )
  }

  return {
    path,
    write,
    async replace(name, content) {
      await write(`${name}.new`, content)
      await rename(join(path, `${name}.new`), join(path, name))
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** The command as a real process. */
export interface TollgateProcess extends AsyncDisposable {
  /** Standard output and standard error so far, as they came. */
  readonly output: string
  /** Resolves with the output once it contains this, that often; throws when the process ends without. */
  says(part: string, times?: number): Promise<string>
  signal(signal: NodeJS.Signals): void
  readonly exitCode: Promise<number>
}

/** Starts `tollgate …` in a folder, with nothing of our environment but the path. */
export function startTollgate(
  folder: Folder,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: string = PROGRAM,
): TollgateProcess {
  const child = Bun.spawn(endsWithParent(program, ...args), {
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '', TOLLGATE_PORT: '0', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let output = ''
  let waiting: (() => void)[] = []

  function changed(): void {
    const wakes = waiting
    waiting = []
    for (const wake of wakes) wake()
  }

  async function gather(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    for await (const bytes of stream) {
      output += decoder.decode(bytes, { stream: true })
      changed()
    }
  }

  let ended = false
  const exitCode = Promise.all([child.exited, gather(child.stdout), gather(child.stderr)]).then(([code]) => {
    ended = true
    changed()
    return code
  })

  return {
    get output() {
      return output
    },
    async says(part, times = 1) {
      while (output.split(part).length <= times) {
        if (ended) throw new Error(`the process ended without saying "${part}":\n${output}`)
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      return output
    },
    signal: (signal) => child.kill(signal),
    exitCode,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exitCode
    },
  }
}

/** Starts `tollgate serve` and waits until it listens; gives its address. */
export async function serveTollgate(
  folder: Folder,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ process: TollgateProcess; url: string }> {
  const process = startTollgate(folder, ['serve', ...args], env)
  const url = /listens on (\S+)\n/.exec(await process.says('Models'))?.[1]
  if (url === undefined) throw new Error(`no address:\n${process.output}`)
  return { process, url }
}
