const SETPRIV = Bun.which('setpriv')

/** A command whose process the kernel kills when the process that started it ends, in whatever way. Linux only. */
export function endsWithParent(...command: string[]): string[] {
  return SETPRIV === null ? command : [SETPRIV, '--pdeathsig', 'KILL', '--', ...command]
}
