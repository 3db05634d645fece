import { ERRORS } from '../../core/error.ts'
import { escapeHtml } from '../escape.ts'
import type { OpenApiDocument, OpenApiExample, OpenApiOperation, OpenApiResponse } from '../openapi.ts'
import { FIELD_TABLE, fittedTable } from '../fittedTable.ts'
import { codeBlock, foldedList, pageShell } from '../shell.ts'
import { breakableCode } from './breakable.ts'
import { exampleOf, schemaFields, type SchemaField, typeName, type Schemas } from './schemaView.ts'

interface Entry {
  readonly method: string
  readonly path: string
  readonly operation: OpenApiOperation
}

/**
 * The API reference, rendered from the OpenAPI document.
 * @param address the base URL of samples; undefined: a placeholder
 */
export function referencePage(document: OpenApiDocument, address = 'http://127.0.0.1:4100'): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
  const groups = (document.tags ?? []).map((tag) => ({
    tag,
    entries: entries.filter((entry) => entry.operation.tags.includes(tag.name)),
  }))
  const { schemas } = document.components

  return pageShell({
    title: 'API reference · Tollgate',
    description: 'Every path of the gateway: parameters, bodies, responses, examples and errors.',
    here: '/docs',
    style: STYLE,
    aside: foldedList({
      kind: 'toc',
      label: 'Contents',
      summary: 'All endpoints',
      content: `<h2><a href="#start">How to call the API</a></h2>${groups
        .map(
          ({ tag, entries }) => `<h2>${escapeHtml(tag.name)}</h2><ul>${entries.map(tocEntry).join('')}</ul>`,
        )
        .join('')}<h2><a href="#errors">Errors</a></h2>`,
    }),
    main: `<h1>API reference</h1>
<p class="lead">${escapeHtml(document.info.description ?? '')}</p>
<p>Version ${escapeHtml(document.info.version)}. For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI ${escapeHtml(document.openapi)}). For people: <a href="/docs/guides">the guides</a>.</p>
${startSection(address)}
${groups
  .map(
    ({ tag, entries }) =>
      `<section><h2>${escapeHtml(tag.name)}</h2><p class="lead">${prose(tag.description ?? '')}</p>${entries.map((entry) => operationSection(entry, schemas)).join('')}</section>`,
  )
  .join('\n')}
${errorsSection()}`,
  })
}

function startSection(address: string): string {
  return `<section id="start"><h2>How to call the API</h2>
<p>The base URL for OpenAI clients is <code>${escapeHtml(address)}/v1</code>. Every call to <code>/v1</code> needs an API key in the header <code>Authorization: Bearer tg_…</code> or <code>x-api-key: tg_…</code>; every call to <code>/api/v1/admin</code> needs an admin token in <code>Authorization</code>. Bodies are JSON, in requests with <code>Content-Type: application/json</code>.</p>
<p>The samples on this page use these variables:</p>
${textBlock(`export TOLLGATE=${address}
export KEY=tg_…          # an API key
export TOKEN=tga_…       # an admin token, for /api/v1/admin`)}
<p>With OpenAI&#39;s SDK for Python:</p>
${textBlock(`import os
from openai import OpenAI

client = OpenAI(base_url=os.environ["TOLLGATE"] + "/v1", api_key=os.environ["KEY"])
for model in client.models.list():
    print(model.id)`)}
<p>Every response has the header <code>X-Request-ID</code>. An unknown path is 404 <code>not_found</code>; another method than those listed is 405 <code>method_not_allowed</code>.</p></section>`
}

function tocEntry({ method, path, operation }: Entry): string {
  return `<li><a href="#${escapeHtml(operation.operationId)}"><span class="method">${method}</span> ${breakablePath(path)}</a></li>`
}

function operationSection({ method, path, operation }: Entry, schemas: Schemas): string {
  const { summary, description, parameters = [], requestBody, responses, security = [] } = operation
  const body = requestBody?.content['application/json']?.schema
  const id = escapeHtml(operation.operationId)
  return `<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${escapeHtml(summary)}</h3>
<p class="path"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakableCode(escapeHtml(path))}</code>${security.length > 0 ? `<span class="auth">${credential(security)}</span>` : ''}</p>
${description === undefined ? '' : `<p>${prose(description)}</p>`}
${
  parameters.length === 0
    ? ''
    : `<h4>Parameters</h4>${fieldTable(
        `Parameters: ${summary}`,
        parameters.map((parameter) => ({
          name: parameter.name,
          type: `${typeName(parameter.schema)} (${parameter.in})`,
          required: parameter.required ?? false,
          description: parameter.description ?? parameter.schema.description ?? '',
        })),
      )}`
}
${body === undefined ? '' : `<h4>Body</h4>${fieldTable(`Body: ${summary}`, schemaFields(body, schemas))}`}
<h4>${requestBody?.content['application/json']?.examples ? 'Examples' : 'Example'}</h4>
${examples({ method, path, operation }, schemas)}
<h4>Responses</h4>
${Object.entries(responses)
  .map(([status, response]) => responseSection(`${status}: ${summary}`, status, response, schemas))
  .join('\n')}
</article>`
}

function credential(security: readonly object[]): string {
  return isForOperators(security) ? 'admin token' : 'API key'
}

function isForOperators(security: readonly object[]): boolean {
  return security.some((requirement) => 'adminToken' in requirement)
}

function responseSection(label: string, status: string, response: OpenApiResponse, schemas: Schemas): string {
  const title = `<span class="status">${status}</span> ${Number(status) >= 400 ? codeLinks(response.description) : prose(response.description)}`
  if (Number(status) >= 400) return `<p class="answer">${title}</p>`
  const parts = Object.entries(response.content ?? {}).map(([type, { schema }]) => {
    // A response always has what it can have; saying "required" of each field would be noise.
    const fields = schemaFields(schema, schemas).map((field) => ({ ...field, required: false }))
    if (fields.length === 0) return ''
    return `<h4><code>${escapeHtml(type)}</code></h4>${fieldTable(`${label}, ${type}`, fields)}`
  })
  const headers = Object.entries(response.headers ?? {})
  const headerTable =
    headers.length === 0
      ? ''
      : `<h4>Headers</h4>${fieldTable(
          `Headers of ${label}`,
          headers.map(([name, { description = '' }]) => ({
            name,
            type: 'header',
            required: false,
            description,
          })),
        )}`
  if (parts.join('') === '' && headerTable === '') return `<p class="answer">${title}</p>`
  return `<details><summary>${title}</summary>${parts.join('')}${headerTable}</details>`
}

/** A request to paste with its answer, or several; the answer that belongs to an example of the request has its name. */
function examples(entry: Entry, schemas: Schemas): string {
  const { requestBody, responses } = entry.operation
  const content = requestBody?.content['application/json']
  const given = Object.entries(content?.examples ?? {})
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const answers: Record<string, OpenApiExample> = Object.assign(
    {},
    ...Object.values(success?.content ?? {}).map((media) => media.examples),
  )
  if (given.length === 0) {
    const request = textBlock(curlLine(entry, content && exampleOf(content.schema, schemas)))
    const all = Object.values(answers)
    return `${request}${all.map(({ summary, value }) => `<details><summary>${all.length > 1 ? `Response: ${escapeHtml(summary)}` : 'Response'}</summary>${textBlock(answerText(value))}</details>`).join('')}`
  }
  return given
    .map(([name, { summary, value }]) => {
      const answer = answers[name]?.value
      return `<details><summary>${escapeHtml(summary)}</summary>${textBlock(curlLine(entry, value))}${answer === undefined ? '' : `<p>Response:</p>${textBlock(answerText(answer))}`}</details>`
    })
    .join('')
}

/** A stream as it is sent, JSON for readers. */
function answerText(answer: unknown): string {
  return typeof answer === 'string' ? answer.trimEnd() : JSON.stringify(answer, null, 2)
}

/** The call as a line of the shell. */
function curlLine({ method, path, operation }: Entry, body: unknown): string {
  const { security = [], parameters = [] } = operation
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=${EXAMPLE_IDS.get(name) ?? '…'}`)
    .join('&')
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleId(path, name))
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$TOLLGATE${target}${query === '' ? '' : `?${query}`}"`,
    ...(security.length > 0
      ? [`-H "Authorization: Bearer ${isForOperators(security) ? '$TOKEN' : '$KEY'}"`]
      : []),
    ...(body === undefined
      ? []
      : [
          '-H "Content-Type: application/json"',
          `-d '${JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`)}'`,
        ]),
  ]
  return lines.join(' \\\n  ')
}

const EXAMPLE_ID = '01K8XJ5M7QZ3V9T4B6N2C1D0FG'

const EXAMPLE_IDS: ReadonlyMap<string, string> = new Map([
  ['id', `chatcmpl-${EXAMPLE_ID}`],
  ['model_id', 'acme/chat-1'],
  ['response_id', `resp_${EXAMPLE_ID}`],
])

/** What stands in a path: an id of the kind that its collection has. */
function exampleId(path: string, parameter: string): string {
  const prefix = /\/(workspaces|keys|tokens|audit|providers)\/\{id\}/.exec(path)?.[1]
  switch (prefix) {
    case 'workspaces':
      return `ws_${EXAMPLE_ID}`
    case 'keys':
      return `key_${EXAMPLE_ID}`
    case 'tokens':
      return `token_${EXAMPLE_ID}`
    case 'audit':
      return `audit_${EXAMPLE_ID}`
    case 'providers':
      return 'acme'
    default:
      return EXAMPLE_IDS.get(parameter) ?? '…'
  }
}

function textBlock(text: string): string {
  return codeBlock(escapeHtml(text))
}

function fieldTable(label: string, fields: readonly SchemaField[]): string {
  const rows = fields.map(
    (field) =>
      `<tr><th scope="row"><code>${breakableCode(escapeHtml(field.name))}</code>${field.required ? '<span class="required">required</span>' : ''}${field.only === undefined ? '' : `<span class="only">${escapeHtml(field.only)}</span>`}</th><td>${escapeHtml(field.type)}</td><td>${prose(field.description)}</td></tr>`,
  )
  return fittedTable(
    label,
    `${FIELD_TABLE}<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`,
  )
}

function errorsSection(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, type, retryable }]) =>
      `<tr><th scope="row"><a href="/docs/errors/${code}"><code>${code}</code></a></th><td>${status}</td><td>${type}</td><td>${RETRY_WITH_HEADER.has(code) ? 'with <code>Retry-After</code>' : retryable ? 'yes' : 'no'}</td></tr>`,
  )
  return `<section id="errors"><h2>Errors</h2>
<p class="lead">Every error has the body <code>{"error": {"code", "message", "type", "param"}}</code>; <code>param</code> names the field at fault or is null. <a href="/docs/errors">More about errors</a>.</p>
${fittedTable('Errors', `<table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Type</th><th scope="col">Worth a retry</th></tr></thead><tbody>${rows.join('')}</tbody></table>`)}</section>`
}

/** Worth a retry only where the response says when. */
const RETRY_WITH_HEADER: ReadonlySet<string> = new Set(['insufficient_balance', 'spend_limit_exceeded'])

/** Escaped text in which `code` is set as code. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, (_, code: string) => `<code>${breakableCode(code)}</code>`)
}

function codeLinks(text: string): string {
  return escapeHtml(text).replace(/`([a-z_]+)`/g, (whole, code: string) =>
    code in ERRORS ? `<a href="/docs/errors/${code}"><code>${code}</code></a>` : whole,
  )
}

function breakablePath(path: string): string {
  return escapeHtml(path).replaceAll('/', '/<wbr>')
}

const STYLE = `
.method{font:600 .72rem/1 ui-monospace,Menlo,Consolas,monospace;color:var(--soft)}
article{border-top:1px solid var(--line);padding:1.1rem 0 1.4rem;scroll-margin-top:1rem}
article:target h3{color:var(--accent)}
h3{margin:.2rem 0;font-size:1.1rem}
h4{margin:1.2rem 0 .2rem;font-size:.875rem;color:var(--soft)}
.path .method{background:var(--accent-soft);color:var(--accent);padding:.25rem .45rem;border-radius:5px}
.path .method.delete{color:var(--warn)}
.path code{background:none}
.auth{font-size:.8125rem;color:var(--soft);margin-left:.8rem}
.required{display:inline-block;color:var(--soft);font-size:.75rem;margin-left:.45rem}
.only{display:block;color:var(--soft);font-size:.75rem}
.answer,details{margin:.25rem 0}
summary{cursor:pointer;padding:.1rem 0}
.status{font-weight:650;font-variant-numeric:tabular-nums;margin-right:.4rem}
`
