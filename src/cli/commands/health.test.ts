import { expect, test } from 'bun:test'
import type { CliDeps } from '../deps.ts'
import { runCli } from '../runCli.ts'

/** Runs `tollgate health …` against what answers each request. */
async function run(
  words: readonly string[],
  answer: (url: string) => Response | Promise<Response>,
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; out: string; asked: readonly string[] }> {
  let out = ''
  const asked: string[] = []
  const io = { out: (text: string) => void (out += text), err: () => undefined, errIsTty: false, env }
  const deps: Partial<CliDeps> = {
    fetch: async (request) => {
      asked.push(request.url)
      return answer(request.url)
    },
  }
  const code = await runCli(['health', ...words], io, deps as CliDeps)
  return { code, out, asked }
}

test('a gateway that lives is exit code 0, on the port that the environment names', async () => {
  const { code, asked } = await run([], () => new Response('ok'))
  expect([code, asked]).toEqual([0, ['http://127.0.0.1:4100/healthz']])
  const other = await run(['--ready'], () => new Response('ok'), { TOLLGATE_PORT: '8080' })
  expect(other.asked).toEqual(['http://127.0.0.1:8080/readyz'])
})

test('a gateway that cannot serve, or does not answer, is exit code 1 with the reason', async () => {
  const draining = await run(['--ready', '--json'], () => new Response('', { status: 503 }))
  expect(draining.code).toBe(1)
  expect(JSON.parse(draining.out)).toEqual({
    ok: false,
    url: 'http://127.0.0.1:4100/readyz',
    problem: 'status 503',
  })
  const gone = await run([], () => Promise.reject(new Error('connection refused')))
  expect([gone.code, gone.out]).toEqual([1, 'http://127.0.0.1:4100/healthz: connection refused\n'])
})

test('--url is asked instead, and must be an address', async () => {
  const { asked } = await run(['--url', 'https://gateway.example/base/'], () => new Response('ok'))
  expect(asked).toEqual(['https://gateway.example/base/healthz'])
  expect((await run(['--url', 'ftp://x'], () => new Response('ok'))).code).toBe(2)
})
