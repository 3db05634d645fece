import type { RouteConfig } from '@hono/zod-openapi'

/** The parts of an OpenAPI 3.1 document that the reference page reads. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description?: string
    readonly license?: { readonly identifier?: string }
  }
  readonly servers?: readonly { readonly url: string }[]
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly object[]
  readonly parameters?: readonly OpenApiParameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, OpenApiContent>> }
  readonly responses: Readonly<Record<string, OpenApiResponse>>
}

export interface OpenApiParameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export interface OpenApiResponse {
  readonly description: string
  readonly content?: Readonly<Record<string, OpenApiContent>>
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>
}

export interface OpenApiContent {
  readonly schema: JsonSchema
  readonly examples?: Readonly<Record<string, OpenApiExample>>
}

export interface OpenApiExample {
  readonly summary: string
  readonly value: unknown
}

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly example?: unknown
}

const TAGS = [
  { name: 'Models and completions', description: 'What applications call, with an API key.' },
  { name: 'Account', description: 'The limits, balance and receipts of the API key that asks.' },
  { name: 'Public', description: 'Prices, without a credential.' },
  { name: 'Admin', description: 'Workspaces, keys and money, with an admin token.' },
  { name: 'Operation', description: 'For load balancers and monitoring.' },
]

/** With an SPDX identifier, which the generator's types do not know. */
const LICENSE = { name: 'Apache License 2.0', identifier: 'Apache-2.0' }

/** Writes the OpenAPI 3.1 document. The generator is loaded only when somebody asks for the document. */
export async function openApiDocument(
  routes: readonly RouteConfig[],
  version: string,
): Promise<OpenApiDocument> {
  const { OpenAPIHono } = await import('@hono/zod-openapi')
  const generator = new OpenAPIHono()
  const registry = generator.openAPIRegistry
  registry.registerComponent('securitySchemes', 'apiKey', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: `Authorization: Bearer tg_…`. `x-api-key: tg_…` is as good.',
  })
  registry.registerComponent('securitySchemes', 'apiKeyHeader', {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same API key in a header of its own: `x-api-key: tg_…`.',
  })
  registry.registerComponent('securitySchemes', 'adminToken', {
    type: 'http',
    scheme: 'bearer',
    description:
      'An admin token: `Authorization: Bearer tga_…`, or the one of the configuration (`TOLLGATE_ADMIN_TOKEN`, `server.admin_token`).',
  })
  for (const route of routes) registry.registerPath(route)
  const document = generator.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Tollgate',
      version,
      description:
        'One OpenAI-style API in front of many model providers, with API keys, exact limits and a prepaid balance.',
      license: LICENSE,
    },
    servers: [{ url: '/' }],
    tags: TAGS,
  })
  return document as unknown as OpenApiDocument
}
