import { describe, expect, test } from 'bun:test'
import { load, problemsOf, withModel } from '../../test/support/settings.ts'

describe('a text that people read', () => {
  test.each([
    ['a control character', '"a\\e[31mb"'],
    ['a line break', '"a\\nb"'],
    ['a mark that turns text', '"a\\u202Eb"'],
    ['an invisible character', '"a\\u2060b"'],
    ['a soft hyphen', '"a\\u00ADb"'],
  ])('is refused with %s', (_, written) => {
    for (const field of ['display_name', 'owned_by', 'category']) {
      const [problem] = problemsOf(withModel(`${field}: ${written}`))
      expect(problem).toContain(`.${field} must not hold control characters`)
    }
  })

  test('has at most 200 characters', () => {
    expect(problemsOf(withModel(`display_name: ${'x'.repeat(200)}`))).toEqual([])
    const [problem] = problemsOf(withModel(`display_name: ${'x'.repeat(201)}`))
    expect(problem).toEndWith('.display_name must not be longer than 200 characters')
  })

  test('may be of any script, and hold emoji of several signs', () => {
    expect(load(withModel('display_name: "Größe 模型 👩‍🚀"')).ok).toBe(true)
  })
})

test.each(['sk-short-secret', 'sk-a-long-secret-that-is-no-word-of-ours'])(
  'a key in place of the kind of authentication is not shown: %s',
  (key) => {
    const provider = `providers:\n  p:\n    wire: openai-chat\n    base_url: https://x.example\n    auth: ${key}\nmodels: all`
    const [problem] = problemsOf(provider)
    expect(problem).toContain('providers.p.auth must be none, bearer or google-oauth')
    expect(problem).not.toContain(key.slice(0, 8))
  },
)
