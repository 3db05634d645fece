import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { foldSlashes, targetOf } from './target.ts'

describe('the target of a request', () => {
  test.each([
    ['http://host:4100/v1/models?limit=1', '/v1/models', 'limit=1'],
    ['http://host/', '/', ''],
    ['http://[::1/v1/models', '/v1/models', ''],
    ['http://h:1:2/v1/models?a?b', '/v1/models', 'a?b'],
    ['https://h/v1?from=http://x/y', '/v1', 'from=http://x/y'],
    // Without a usable Host.
    ['/v1/models?limit=1', '/v1/models', 'limit=1'],
    ['/healthz', '/healthz', ''],
    ['/', '/', ''],
    ['/?a=b', '/', 'a=b'],
    ['//x/v1', '//x/v1', ''],
    ['/v1/models/http://a/b', '/v1/models/http://a/b', ''],
    ['/v1?from=http://x/y', '/v1', 'from=http://x/y'],
  ])('%s: path %s, query "%s"', (url, path, query) => {
    expect(targetOf(url)).toEqual({ path, query })
  })

  test.each(['host:80', 'host', 'http://host', ''])('"%s" has no path', (url) => {
    expect(targetOf(url)).toBeUndefined()
  })
})

describe('slashes', () => {
  test.each([
    ['/', '/'],
    ['//', '/'],
    ['/v1/models', '/v1/models'],
    ['/v1/models/', '/v1/models'],
    ['/v1/models//', '/v1/models'],
    ['//v1//models', '/v1/models'],
    ['/v1//chat///completions/', '/v1/chat/completions'],
    ['/v1/', '/v1'],
    ['//healthz/', '/healthz'],
    ['/api//v1/admin//keys//key_1/', '/api/v1/admin/keys/key_1'],
    ['/v1/models/a//b', '/v1/models/a//b'],
    ['/v1/models/a//b/', '/v1/models/a//b'],
    ['//v1//models//a//b', '/v1/models/a//b'],
    ['/v1/models/a%2F%2Fb', '/v1/models/a%2F%2Fb'],
    ['/v1/modelsx//a', '/v1/modelsx/a'],
    ['/x/v1/models//a', '/x/v1/models/a'],
  ])('%s means %s', (path, meant) => {
    expect(foldSlashes(path)).toBe(meant)
  })

  test('folding twice is folding once, and never empties a path', () => {
    const paths = fc
      .array(fc.constantFrom('/', '//', 'v1', 'models', 'a', '%2F'))
      .map((parts) => `/${parts.join('')}`)
    fc.assert(
      fc.property(paths, (path) => {
        const once = foldSlashes(path)
        expect(foldSlashes(once)).toBe(once)
        expect(once).toStartWith('/')
        expect(once.replaceAll('/', '')).toBe(path.replaceAll('/', ''))
      }),
    )
  })

  test('the longest path that the runtime lets through is folded at once', () => {
    const path = `${'/'.repeat(8000)}v1${'/'.repeat(8000)}x`
    const started = performance.now()
    for (let round = 0; round < 100; round++) foldSlashes(path)
    // Linear work takes a few milliseconds; what grew with the square would take minutes.
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
