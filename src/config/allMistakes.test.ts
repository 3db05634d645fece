import { expect, test } from 'bun:test'
import { problemsOf } from '../../test/support/settings.ts'

interface Mistake {
  /** Its section: the top of the file, the server, the provider or the model. */
  readonly where: 'top' | 'server' | 'provider' | 'model'
  readonly line: string
  readonly tells: string
}

const RIGHT: Readonly<Record<Mistake['where'], readonly string[]>> = {
  top: [],
  server: ['host: 0.0.0.0'],
  provider: ['wire: openai-chat', 'base_url: http://127.0.0.1:9000/v1', 'api_key: k'],
  model: [
    'id: acme/chat',
    'context_length: 1000',
    'max_output_tokens: 100',
    'our_price: { input: 1, output: 2 }',
    'targets: [{ provider: acme, model: up }]',
  ],
}

function mistake(where: Mistake['where'], line: string, tells: string): Mistake {
  return { where, line, tells }
}

const MISTAKES: readonly Mistake[] = [
  mistake('top', 'database: mysql://db', 'database must begin with sqlite:'),
  mistake('top', 'log: { level: loud }', 'log.level must be debug,'),
  mistake('top', 'holds: some', 'holds must be needed or full'),
  mistake('top', 'responses: { keep: 31d }', 'responses.keep must be 0, or a duration'),
  mistake('top', 'servers: {}', 'servers is not a setting'),
  mistake('server', 'drain: 30', 'server.drain must be a duration'),
  mistake('server', "cors_origins: ['*']", 'server.cors_origins[0] must name its origins'),
  mistake('server', 'admin_token: short', 'server.admin_token is short'),
  mistake('server', 'metrics_token: short', 'server.metrics_token is short'),
  mistake('server', 'trusted_proxies: [nobody]', 'server.trusted_proxies[0] must be an address'),
  mistake('server', 'metrics_address: nowhere', 'server.metrics_address must be host and port'),
  mistake('server', 'max_body_bytes: 10 megs', 'server.max_body_bytes must be a size'),
  mistake('server', 'prot: 1', 'server.prot is not a setting'),
  mistake('provider', 'wire: openai-chatt', 'providers.acme.wire must be'),
  mistake('provider', 'base_url: nowhere', 'providers.acme.base_url must be an http or https URL'),
  mistake('provider', 'api_key: a b', 'providers.acme.api_key contains a blank'),
  mistake('provider', 'headers: { "a b": c }', 'providers.acme.headers["a b"] is no header name'),
  mistake('provider', 'timeouts: { idle: 5 }', 'providers.acme.timeouts.idle must be a duration'),
  mistake('provider', 'allow_fields: [min_p, stream]', 'providers.acme.allow_fields[1] cannot be'),
  mistake('provider', 'quirks: { drop_fields: [model] }', 'providers.acme.quirks.drop_fields[0] cannot be'),
  mistake(
    'provider',
    'quirks: { finish_reasons: { end: over } }',
    'providers.acme.quirks.finish_reasons.end must be',
  ),
  mistake('provider', 'like: acne', 'providers.acme.like is not a known provider'),
  mistake('model', 'context_length: many', 'models[0].context_length must be a whole number'),
  mistake('model', 'max_output_tokens: 0', 'models[0].max_output_tokens must be a whole number'),
  mistake('model', 'assumed_output_tokens: few', 'models[0].assumed_output_tokens must be a whole number'),
  mistake('model', 'our_price: { input: -1, output: 1 }', 'models[0].our_price.input must be a price'),
  mistake('model', 'our_price: { input: 1 }', 'models[0].our_price.output is missing'),
  mistake('model', 'official_price: { input: x, output: 1 }', 'models[0].official_price.input must be'),
  mistake('model', 'targets: [{ provider: acne, model: up }]', 'models[0].targets[0].provider is not a'),
  mistake('model', 'targets: [{ provider: acme }]', 'models[0].targets[0].model is missing'),
  mistake(
    'model',
    'targets: [{ provider: acme, model: up, weight: -1 }]',
    'models[0].targets[0].weight must',
  ),
  mistake('model', 'capabilities: vision', 'models[0].capabilities must be a list'),
  mistake('model', 'unsupported_fields: [model]', 'models[0].unsupported_fields[0] cannot be'),
  mistake('model', 'strategy: best', 'models[0].strategy must be priority'),
  mistake('model', 'aliases: [acme/chat]', 'models[0].aliases[0] hides the model'),
  mistake('model', 'deprecated: { at: 2026-10-01, sunset: 2026-09-01 }', 'models[0].deprecated.sunset must'),
  mistake('model', 'retired: { successor: acme/chat }', 'models[0].retired.at is missing'),
]

/** A file with these mistakes in the place of what is right. */
function fileWith(mistakes: readonly Mistake[]): string {
  const linesOf = (where: Mistake['where'], indent: string) => {
    const wrong = mistakes.filter((each) => each.where === where).map(({ line }) => line)
    const right = RIGHT[where].filter((line) => !wrong.some((other) => settingOf(other) === settingOf(line)))
    return [...right, ...wrong].map((line) => `${indent}${line}\n`).join('')
  }
  return `${linesOf('top', '')}server:
${linesOf('server', '  ')}providers:
  acme:
${linesOf('provider', '    ')}models:
  -
${linesOf('model', '    ')}`
}

function settingOf(line: string): string {
  return line.slice(0, line.indexOf(':'))
}

/** Undefined where the lines name exactly these mistakes; otherwise the mistakes, and the lines without their places. */
function untold(mistakes: readonly Mistake[]): unknown {
  const told = problemsOf(fileWith(mistakes)).map((line) => line.replace(/^tollgate\.yaml:\d+:\d+ /, ''))
  const all = mistakes.every(({ tells }) => told.some((line) => line.startsWith(tells)))
  return all && told.length === mistakes.length
    ? undefined
    : { mistakes: mistakes.map(({ line }) => line), told }
}

test('a file without mistakes has none', () => {
  expect(problemsOf(fileWith([]))).toEqual([])
})

test('each mistake is told, and nothing that only follows from it', () => {
  expect(MISTAKES.map((each) => untold([each])).filter((each) => each !== undefined)).toEqual([])
})

test('no mistake hides another one, wherever both are', () => {
  const pairs = MISTAKES.flatMap((one, index) =>
    MISTAKES.slice(index + 1)
      .filter((other) => other.where !== one.where || settingOf(other.line) !== settingOf(one.line))
      .map((other) => [one, other]),
  )
  expect(pairs.map(untold).filter((each) => each !== undefined)).toEqual([])
})

test('a mistake in the file hides none of the environment', () => {
  const env = { TOLLGATE_ADMIN_TOKEN: 'short', TOLLGATE_PORT: '70000', TOLLGATE_HOST: '0.0.0.0' }
  for (const server of ['server: { drain: 30 }', 'server: yes']) {
    const problems = problemsOf(`${server}\nproviders: { demo: {} }\nmodels: all\n`, { env })
    expect(problems).toHaveLength(3)
    for (const name of ['TOLLGATE_ADMIN_TOKEN is short', 'TOLLGATE_PORT must be', 'server'])
      expect(problems.join('\n')).toContain(name)
  }
})

test('what is compared with a setting that cannot be read is not told', () => {
  const server = (settings: string) => `server: { ${settings} }\nproviders: { demo: {} }\nmodels: all\n`
  expect(problemsOf(server('max_body_bytes: 1x, bodies_in_flight: { key: 2MiB }'))).toHaveLength(1)
  expect(problemsOf(server('port: 1x, metrics_address: "127.0.0.1:4100"'))).toHaveLength(1)
  const known = (settings: string) =>
    `providers: { openai: { api_key: k } }\nmodels: [{ id: openai/gpt-5, ${settings} }]\n`
  expect(problemsOf(known('context_length: 1x, max_output_tokens: 900000'))).toHaveLength(1)
  expect(problemsOf(known('max_output_tokens: 1x, assumed_output_tokens: 900000'))).toHaveLength(1)
})
