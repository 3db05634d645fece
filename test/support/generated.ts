/**
 * Throws when a generated file is not what its script writes: names the command, and the first line that differs, not the
 * whole file.
 * @param script below the root
 */
export function expectCurrent(file: string, is: string, shouldBe: string, script: string): void {
  if (is === shouldBe) return
  const [lines, expected] = [is.split('\n'), shouldBe.split('\n')]
  const at = expected.findIndex((line, index) => line !== lines[index])
  const first = at < 0 ? expected.length : at
  const message = `${file} is not up to date. Run: bin/bun run ${script}
line ${first + 1} is:     ${lines[first] ?? '(nothing)'}
it should be: ${expected[first] ?? '(nothing)'}`
  throw new Error(message)
}
