import { DATA_PLANE_ENDPOINTS } from '../../src/http/dataPlane/endpoints.ts'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { createIdSource } from '../../src/core/id.ts'
import { isJsonObject } from '../../src/core/json.ts'
import { createApp } from '../../src/http/app.ts'
import type { AppDeps } from '../../src/http/deps.ts'
import { addressList } from '../../src/http/insider.ts'
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi.ts'

/** What the gateway's OpenAPI document says about its answers. */
interface ApiDescription {
  /** The operation that a request asks for; undefined where the document has none. `path` has its parameters in braces. */
  operation(
    method: string,
    path: string,
  ): { readonly path: string; readonly described: OpenApiOperation } | undefined
  /** What is wrong with a value by the schema at this pointer of the document; undefined: nothing. */
  mistake(pointer: readonly string[], value: unknown): string | undefined
}

const BASE = 'https://gateway.test/openapi.json'
let description: Promise<ApiDescription> | undefined

/** Reads the document when it is first asked for, and compiles each schema once. */
export function apiDescription(): Promise<ApiDescription> {
  return (description ??= openApiDocument().then(describe))
}

function describe(document: OpenApiDocument): ApiDescription {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ ...(closed(document) as object), $id: BASE })
  // No more of them than the document has schemas.
  const validators = new Map<string, ValidateFunction>()
  const paths = Object.keys(document.paths)
    .toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((path) => ({ path, pattern: patternOf(path) }))
  return {
    operation(method, asked) {
      const path = paths.find(({ pattern }) => pattern.test(asked))?.path ?? ''
      const described = document.paths[path]?.[method]
      return described && { path, described }
    },
    mistake(pointer, value) {
      const $ref = `${BASE}#${pointer.map(pointerPart).join('')}`
      const validate = validators.get($ref) ?? ajv.compile({ $ref })
      validators.set($ref, validate)
      if (validate(value)) return undefined
      return (validate.errors ?? [])
        .map((error) => `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`)
        .join('; ')
    },
  }
}

/** Written without a store: this app is asked for nothing but the document. */
async function openApiDocument(): Promise<OpenApiDocument> {
  const deps: Partial<AppDeps> = {
    dataPlane: DATA_PLANE_ENDPOINTS,
    clock: Date.now,
    ids: createIdSource(Date.now, (bytes) => crypto.getRandomValues(bytes)),
    hash: (text) => new Bun.CryptoHasher('sha256').update(text).digest('hex'),
    proxies: { trusted: () => addressList([]), onUntrusted: () => undefined },
    version: '0.0.0-test',
  }
  const app = createApp(deps as AppDeps)
  const response = await app.fetch(new Request('http://127.0.0.1/openapi.json'), { inside: true })
  return (await response.json()) as OpenApiDocument
}

/** The id of a model may have slashes. */
function patternOf(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replaceAll('{model_id}', '.+')
    .replaceAll(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${source}/?$`)
}

function pointerPart(part: string): string {
  return `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`
}

/** With every object that names its fields closed to others, unless it says that it is open. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isJsonObject(schema)) return schema
  const copy: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(schema)) copy[name] = closed(part)
  if (isJsonObject(schema['properties']) && Object.keys(schema['properties']).length > 0)
    copy['additionalProperties'] ??= false
  return copy
}
