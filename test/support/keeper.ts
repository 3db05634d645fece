import { createServer, type AddressInfo } from 'node:net'

/**
 * A shell script beside the tests that keeps a server of theirs. It obeys one word per line and answers with one; when
 * its standard input ends, and that it does however the test process dies, it ends what it keeps and itself.
 */
export interface Keeper {
  tell(word: string): Promise<string>
  /** Its input ends: it has its last duties, and is gone once this resolves. */
  end(): Promise<void>
  /** Ends the keeper without its last duties. */
  leave(): Promise<void>
}

/**
 * Starts the keeper as a process of nobody, and lives as long as it does, which the runtime needs to keep its input
 * open. Whoever kills the descendants of a test process (`--no-orphans` does) does not find the keeper among them.
 */
const LAUNCHER = `
exec 3<&0 4>&1
(sh -c "$0" keeper "$@" 5>&1 <&3 >&4 3<&- 4>&- &) | cat >/dev/null
`

/**
 * @param prefix what to put before a command so that it runs as another user
 * @param script obeys `leave` by ending at once
 */
export function startKeeper(options: {
  readonly prefix: readonly string[]
  readonly script: string
  readonly arguments: readonly string[]
  readonly directory: string
}): Keeper {
  const launcher = Bun.spawn(
    [...options.prefix, 'sh', '-c', LAUNCHER, options.script, ...options.arguments],
    { cwd: options.directory, stdin: 'pipe', stdout: 'pipe', stderr: 'ignore' },
  )
  // The tests' end must not wait for the server: its keeper notices.
  launcher.unref()
  const { stdin } = launcher
  const answers = launcher.stdout.pipeThrough(new TextDecoderStream()).getReader()
  /** The keeper has ended once its output has. */
  async function ended(): Promise<void> {
    while (!(await answers.read()).done);
  }
  return {
    async tell(word) {
      await stdin.write(`${word}\n`)
      await stdin.flush()
      const answer = await answers.read()
      return answer.value?.trim() ?? 'failed'
    },
    async end() {
      await stdin.end()
      await ended()
    },
    async leave() {
      await stdin.write('leave\n')
      await stdin.flush()
      await ended()
    },
  }
}

/** A port of this machine that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', resolve)
  })
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}
