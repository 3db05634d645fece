import { expect, test } from 'bun:test'
import { expectCurrent } from './generated.ts'

const compare = (is: string, shouldBe: string) => () =>
  expectCurrent('docs/x.md', is, shouldBe, 'scripts/updateX.ts')

test('a generated file that is not up to date names the command and the first line that differs', () => {
  expect(compare('a\nb\nc', 'a\nb\nc')).not.toThrow()
  expect(compare('a\nold\nc', 'a\nnew\nc')).toThrow(
    'docs/x.md is not up to date. Run: bin/bun run scripts/updateX.ts\nline 2 is:     old\nit should be: new',
  )
  expect(compare('a\nb', 'a')).toThrow('line 2 is:     b\nit should be: (nothing)')
  expect(compare('a', 'a\nb')).toThrow('line 2 is:     (nothing)\nit should be: b')
})
