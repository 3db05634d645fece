/**
 * Standard output of a command that succeeds.
 * @throws Error with the command and what it wrote, where it fails
 */
export function outputOf(cwd: string, ...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, stdin: 'ignore', stderr: 'pipe' })
  if (exitCode !== 0) throw new Error(`${command.join(' ')} ended with ${exitCode}: ${stderr.toString()}`)
  return stdout.toString()
}
