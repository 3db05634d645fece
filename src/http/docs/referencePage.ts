import { ERRORS } from '../../core/error.ts'
import { escapeHtml } from '../escape.ts'
import type { OpenApiDocument, OpenApiOperation } from '../openapi.ts'
import { pageShell, scrollBox } from '../shell.ts'
import { examplesOf, schemaFields, type SchemaField, typeName, type Schemas } from './schemaView.ts'

interface Entry {
  readonly method: string
  readonly path: string
  readonly operation: OpenApiOperation
}

/** The API reference, rendered from the OpenAPI document. */
export function referencePage(document: OpenApiDocument): string {
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
    description: 'Every path of the gateway: parameters, bodies, answers and errors.',
    here: '/docs',
    style: STYLE,
    aside: `<nav class="toc" aria-label="Contents">${groups
      .map(({ tag, entries }) => `<h2>${escapeHtml(tag.name)}</h2><ul>${entries.map(tocEntry).join('')}</ul>`)
      .join('')}<h2><a href="#errors">Errors</a></h2></nav>`,
    main: `<h1>API reference</h1>
<p class="lead">${escapeHtml(document.info.description ?? '')}</p>
<p>Version ${escapeHtml(document.info.version)}. For machines: <a href="/openapi.json">openapi.json</a> (OpenAPI ${escapeHtml(document.openapi)}).</p>
${groups
  .map(
    ({ tag, entries }) =>
      `<section><h2>${escapeHtml(tag.name)}</h2><p class="lead">${prose(tag.description ?? '')}</p>${entries.map((entry) => operationSection(entry, schemas)).join('')}</section>`,
  )
  .join('\n')}
${errorsSection()}`,
  })
}

function tocEntry({ method, path, operation }: Entry): string {
  return `<li><a href="#${escapeHtml(operation.operationId)}"><span class="method">${method}</span> ${breakable(path)}</a></li>`
}

function operationSection({ method, path, operation }: Entry, schemas: Schemas): string {
  const { summary, description, parameters = [], requestBody, responses, security = [] } = operation
  const body = requestBody?.content['application/json']?.schema
  const id = escapeHtml(operation.operationId)
  return `<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${escapeHtml(summary)}</h3>
<p class="path"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code>${security.length > 0 ? `<span class="auth">${credential(security)}</span>` : ''}</p>
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
${body === undefined ? '' : `<h4>Body</h4>${fieldTable(`Body: ${summary}`, schemaFields(body, schemas))}${example(body, schemas)}`}
<h4>Answers</h4>
${Object.entries(responses)
  .map(([status, response]) => answer(`${status}: ${summary}`, status, response, schemas))
  .join('\n')}
</article>`
}

function credential(security: readonly object[]): string {
  return security.some((requirement) => 'adminToken' in requirement) ? 'admin token' : 'API key'
}

function answer(
  label: string,
  status: string,
  response: OpenApiOperation['responses'][string],
  schemas: Schemas,
): string {
  const schema = response.content?.['application/json']?.schema
  const title = `<span class="status">${status}</span> ${Number(status) >= 400 ? codeLinks(response.description) : prose(response.description)}`
  const fields = schema === undefined || Number(status) >= 400 ? [] : schemaFields(schema, schemas)
  if (schema === undefined || fields.length === 0) return `<p class="answer">${title}</p>`
  // What an answer holds it always holds; saying "required" of each field would be noise.
  const plain = fields.map((field) => ({ ...field, required: false }))
  return `<details><summary>${title}</summary>${fieldTable(label, plain)}${example(schema, schemas)}</details>`
}

function example(schema: Parameters<typeof examplesOf>[0], schemas: Schemas): string {
  return examplesOf(schema, schemas)
    .map((value) => `<pre><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`)
    .join('')
}

function fieldTable(label: string, fields: readonly SchemaField[]): string {
  const rows = fields.map(
    (field) =>
      `<tr><th scope="row"><code>${escapeHtml(field.name)}</code>${field.required ? '<span class="required">required</span>' : ''}${field.only === undefined ? '' : `<span class="only">${escapeHtml(field.only)}</span>`}</th><td>${escapeHtml(field.type)}</td><td>${prose(field.description)}</td></tr>`,
  )
  return scrollBox(
    label,
    `<table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`,
  )
}

function errorsSection(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, type, retryable }]) =>
      `<tr><th scope="row"><a href="/docs/errors/${code}"><code>${code}</code></a></th><td>${status}</td><td>${type}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`,
  )
  return `<section id="errors"><h2>Errors</h2>
<p class="lead">Every refusal has the body <code>{"error": {"code", "message", "type", "param"}}</code>; <code>param</code> names the field at fault or is null.</p>
${scrollBox('Errors', `<table class="fields"><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Type</th><th scope="col">Worth a retry</th></tr></thead><tbody>${rows.join('')}</tbody></table>`)}</section>`
}

/** Escaped text in which `code` is set as code. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

function codeLinks(text: string): string {
  return escapeHtml(text).replace(/`([a-z_]+)`/g, (whole, code: string) =>
    code in ERRORS ? `<a href="/docs/errors/${code}"><code>${code}</code></a>` : whole,
  )
}

function breakable(path: string): string {
  return escapeHtml(path).replaceAll('/', '/<wbr>')
}

const STYLE = `
@media (min-width:62rem){.with-aside{display:grid;grid-template-columns:16.5rem minmax(0,1fr);gap:3rem}.toc{position:sticky;top:0;max-height:100vh;overflow-y:auto;padding-bottom:2rem}}
.toc{max-height:15rem;overflow-y:auto;border:1px solid var(--line);border-radius:8px;padding:0 1rem 1rem;margin-bottom:1.5rem}
@media (min-width:62rem){.toc{max-height:100vh;border:0;padding:0 0 2rem}}
.toc h2{font-size:.8125rem;color:var(--soft);margin:1.1rem 0 .3rem}
.toc ul{list-style:none;margin:0;padding:0;font-size:.8125rem}
.toc a{display:block;padding:.16rem 0;color:inherit;text-decoration:none}
.toc a:hover{color:var(--accent)}
.method{font:600 .72rem/1 ui-monospace,Menlo,Consolas,monospace;color:var(--soft)}
article{border-top:1px solid var(--line);padding:1.1rem 0 1.4rem;scroll-margin-top:1rem}
article:target h3{color:var(--accent)}
h3{margin:.2rem 0;font-size:1.1rem}
h4{margin:1.2rem 0 .2rem;font-size:.875rem;color:var(--soft)}
.path .method{background:var(--accent-soft);color:var(--accent);padding:.25rem .45rem;border-radius:5px}
.path .method.delete{color:var(--warn)}
.auth{font-size:.8125rem;color:var(--soft);margin-left:.8rem}
.fields td,.fields th{padding:.4rem .6rem .4rem 0;font-size:.9rem}
.fields tbody th{font-weight:400;color:inherit;min-width:11rem}
.fields td:nth-child(2){color:var(--soft);min-width:9rem;max-width:16rem}
.required{color:var(--soft);font-size:.75rem;margin-left:.45rem}
.only{display:block;color:var(--soft);font-size:.75rem}
.answer,details{margin:.25rem 0}
summary{cursor:pointer;padding:.1rem 0}
.status{font-weight:650;font-variant-numeric:tabular-nums;margin-right:.4rem}
`
