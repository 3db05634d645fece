import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { type AdminWorld, createAdminWorld } from '../../../test/support/adminWorld.ts'
import { ERRORS } from '../../core/error.ts'
import type { JsonSchema, OpenApiDocument } from '../openapi.ts'
import { exampleOf, schemaFields, typeName } from './schemaView.ts'

let world: AdminWorld
let document: OpenApiDocument

beforeAll(async () => {
  world = await createAdminWorld()
  document = await world.ask('GET', '/openapi.json')
})
afterAll(() => world.close())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

describe('the OpenAPI document', () => {
  test('describes every path of both interfaces', () => {
    const described = new Set(operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`))
    for (const expected of [
      'POST /v1/chat/completions',
      'GET /v1/models',
      'GET /v1/models/{model_id}',
      'GET /v1/key',
      'GET /v1/credits',
      'GET /v1/generation',
      'GET /api/v1/public/models',
      'POST /api/v1/admin/workspaces',
      'GET /api/v1/admin/workspaces',
      'GET /api/v1/admin/workspaces/{id}',
      'PATCH /api/v1/admin/workspaces/{id}',
      'POST /api/v1/admin/workspaces/{id}/keys',
      'GET /api/v1/admin/workspaces/{id}/keys',
      'POST /api/v1/admin/workspaces/{id}/credits',
      'GET /api/v1/admin/workspaces/{id}/ledger',
      'GET /api/v1/admin/keys/{id}',
      'PATCH /api/v1/admin/keys/{id}',
      'DELETE /api/v1/admin/keys/{id}',
      'POST /api/v1/admin/keys/{id}/rotate',
      'GET /api/v1/admin/usage',
      'GET /api/v1/admin/requests',
      'GET /api/v1/admin/requests/{id}',
      'GET /api/v1/admin/models',
      'GET /api/v1/admin/providers',
      'GET /healthz',
      'GET /readyz',
      'GET /metrics',
    ]) {
      expect(described).toContain(expected)
    }
  })

  test('is OpenAPI 3.1, and every reference in it leads somewhere', () => {
    expect(document.openapi).toStartWith('3.1')
    expect(document.info.license?.identifier).toBe('Apache-2.0')
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(20)
    for (const [, name = ''] of references) expect(document.components.schemas).toHaveProperty([name])
  })

  test('names every operation once, with a summary, and declares the parameters of its path', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path, operation } of operations()) {
      expect(operation.summary).not.toBe('')
      const declared = (operation.parameters ?? [])
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name)
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
    }
  })

  test('demands a credential of every path but the public ones', () => {
    for (const { path, method, operation } of operations()) {
      if (method === 'options') continue
      const demanded = (operation.security ?? []).length > 0
      expect([path, demanded]).toEqual([path, path.startsWith('/v1/') || path.startsWith('/api/v1/admin/')])
    }
  })

  test('has the statuses of the error table, each with the error body', () => {
    for (const { path, operation } of operations()) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 400 || operation.operationId === 'readyz') continue
        // A browser reads no more of a preflight that is refused than its status.
        if (operation.tags.includes('Preflight') && status === '403') continue
        const codes = [...response.description.matchAll(/`(\w+)`/g)].map(([, code]) => code)
        expect(codes.length).toBeGreaterThan(0)
        for (const code of codes)
          expect(ERRORS[code as keyof typeof ERRORS].status).toBe(Number(status) as never)
        expect(response.content?.['application/json']?.schema).toEqual(errorSchemaOf(path))
      }
    }
  })

  /** Clients of Anthropic have paths of their own, and share those of models. */
  function errorSchemaOf(path: string): object {
    const contract = { $ref: '#/components/schemas/Error' }
    const anthropic = { $ref: '#/components/schemas/MessageError' }
    if (path.startsWith('/v1/messages')) return anthropic
    return path.startsWith('/v1/models') ? { anyOf: [contract, anthropic] } : contract
  }

  test('says what the chat endpoint takes, with the ranges of the contract', () => {
    const schema = document.components.schemas['ChatCompletionRequest']
    expect(schema?.required).toEqual(['model', 'messages'])
    expect(schema?.properties?.['temperature']).toMatchObject({ minimum: 0, maximum: 2 })
    expect(schema?.properties?.['n']).toMatchObject({ minimum: 1, maximum: 128 })
    expect(JSON.stringify(schema?.properties?.['user'])).toContain('"maxLength":512')
  })
})

test('the document calls required what is refused when it is missing, and nothing else', () => {
  const required = (name: string) => document.components.schemas[name]?.required ?? []
  expect(required('NewWorkspace')).toEqual(['name', 'type'])
  expect(required('WorkspaceChange')).toEqual([])
  expect(required('NewKey')).toEqual(['name'])
  expect(required('KeyChange')).toEqual([])
  expect(required('Rotation')).toEqual([])
  expect(required('Credit')).toEqual(['amount_usd'])
  for (const { operation } of operations()) {
    if (operation.operationId === 'get_own_generation') continue
    const query = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'path')
    expect(query.filter((parameter) => parameter.required === true)).toEqual([])
  }
})

describe('the reference page', () => {
  test('has a section for every operation, and nothing from elsewhere', async () => {
    const page = await (await world.call('GET', '/docs')).text()
    for (const { path, operation } of operations()) {
      if (operation.tags.includes('Pages') || operation.tags.includes('Preflight')) continue
      expect([path, page.includes(`<article id="${operation.operationId}"`)]).toEqual([path, true])
    }
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/site.js" defer>'])
    expect(page).not.toMatch(/(src|href)="https?:/)
    expect(page).not.toContain('undefined')
    expect(page).not.toContain('[object Object]')
  })
})

test('what scrolls sideways is named and reached by keyboard: code, and nothing else', async () => {
  const page = await (await world.call('GET', '/docs')).text()
  const blocks = [...page.matchAll(/<pre([^>]*)>/g)].map(([, attributes]) => attributes)
  expect(blocks.length).toBeGreaterThan(0)
  for (const attributes of blocks)
    expect(attributes).toMatch(/^ tabindex="0" role="group" aria-label="[^"]+"$/)
})

describe('error pages', () => {
  const PAGES = new URL('../../../docs/errors/', import.meta.url).pathname

  test('every code has a page with its status and type, and every page a code', () => {
    const pages = readdirSync(PAGES).filter((file) => file !== 'README.md')
    expect(pages.sort()).toEqual(
      Object.keys(ERRORS)
        .map((code) => `${code}.md`)
        .sort(),
    )
    for (const [code, { status, type }] of Object.entries(ERRORS)) {
      const page = readFileSync(`${PAGES}${code}.md`, 'utf8')
      expect(page).toStartWith(`# ${code}\n`)
      expect(page).toContain(`| ${status} | \`${type}\` |`)
      expect(readFileSync(`${PAGES}README.md`, 'utf8')).toContain(`(${code}.md) | ${status} | \`${type}\` |`)
    }
  })

  test.each(Object.keys(ERRORS))('/docs/errors/%s is served as a page', async (code) => {
    const response = await world.call('GET', `/docs/errors/${code}`)
    expect(response.headers.get('content-type')).toStartWith('text/html')
    expect((await response.text()).replaceAll('<wbr>', '')).toContain(`>${code}</h1>`)
  })
})

describe('schemas in words', () => {
  const schemas: Record<string, JsonSchema> = {
    Loop: { type: 'object', properties: { next: { $ref: '#/components/schemas/Loop' } }, required: ['next'] },
  }

  test('name unions, lists, literals and nulls', () => {
    expect(typeName({ type: ['string', 'null'] })).toBe('string or null')
    expect(typeName({ type: 'array', items: { type: 'string' } })).toBe('list of string')
    expect(typeName({ enum: ['day', 'model'] })).toBe('day | model')
    expect(typeName({ const: 'list' })).toBe('"list"')
    expect(typeName({ anyOf: [{ type: 'string' }, { type: 'number' }] })).toBe('string or number')
  })

  test('of several shapes all are shown: what they share once, the rest with what tells them apart', () => {
    const shape = (kind: string, more: Record<string, JsonSchema>): JsonSchema => ({
      type: 'object',
      properties: { id: { type: 'string' }, kind: { const: kind }, ...more },
      required: ['id', 'kind'],
    })
    const oneOf = [shape('cat', { lives: { type: 'integer' } }), shape('dog', { tail: { type: 'boolean' } })]
    for (const [schema, prefix] of [
      [{ oneOf }, ''],
      [{ anyOf: oneOf }, ''],
      [{ type: 'array', items: { oneOf } }, '[].'],
    ] as const) {
      expect(schemaFields(schema, {}).map(({ name, only }) => [name, only])).toEqual([
        [`${prefix}id`, undefined],
        [`${prefix}kind`, undefined],
        [`${prefix}lives`, 'kind: cat'],
        [`${prefix}tail`, 'kind: dog'],
      ])
      const kind = schemaFields(schema, {}).find(({ name }) => name === `${prefix}kind`)
      expect(kind?.type).toBe('"cat" | "dog"')
    }
    const cat = { id: '…', kind: 'cat', lives: 0 }
    const dog = { id: '…', kind: 'dog', tail: false }
    expect(exampleOf({ type: 'array', items: { oneOf } }, {})).toEqual([cat, dog])
  })

  test('the reference shows a receipt and a refused call', async () => {
    const page = await (await world.call('GET', '/docs')).text()
    const [, article = ''] = page.split('<article id="admin_get_requests_id"')
    const [shown = ''] = article.split('</article>')
    for (const part of ['kind: receipt', 'kind: refused', '<code>charge_usd</code>', '<code>address</code>'])
      expect(shown).toContain(part)
  })

  test('a schema that holds itself comes to an end', () => {
    const loop = { $ref: '#/components/schemas/Loop' }
    expect(schemaFields(loop, schemas).map(({ name }) => name)).toContain('next.next')
    expect(JSON.stringify(exampleOf(loop, schemas)).length).toBeLessThan(200)
  })
})
