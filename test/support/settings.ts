// What tests of the configuration share: a configuration from a text, its problems, its models.
import type { Model } from '../../src/core/model.ts'
import { loadSettings, type LoadInput } from '../../src/config/loadSettings.ts'
import { formatProblems } from '../../src/config/problem.ts'
import type { Settings } from '../../src/config/settings.ts'

export const NOW = Date.parse('2026-11-20T12:00:00Z')

export interface Given extends Partial<Pick<LoadInput, 'env' | 'flags' | 'path'>> {
  readonly files?: Record<string, string>
}

export function load(yaml: string | undefined, { files = {}, env = {}, flags = {}, ...rest }: Given = {}) {
  const all: Record<string, string> = { ...files, ...(yaml === undefined ? {} : { 'tollgate.yaml': yaml }) }
  return loadSettings({ env, flags, now: NOW, readFile: (path) => all[path], ...rest })
}

export function settingsOf(yaml: string | undefined, given?: Given): Settings {
  const result = load(yaml, given)
  if (!result.ok) throw new Error(formatProblems(result.problems))
  return result.settings
}

/** Every mistake as people read it. */
export function problemsOf(yaml: string | undefined, given?: Given): string[] {
  const result = load(yaml, given)
  return result.ok ? [] : formatProblems(result.problems).split('\n')
}

/** The warnings of a configuration without mistakes, as people read them. */
export function warningsOf(yaml: string | undefined, given?: Given): string[] {
  const result = load(yaml, given)
  if (!result.ok) throw new Error(formatProblems(result.problems))
  return result.warnings.length === 0 ? [] : formatProblems(result.warnings).split('\n')
}

export function modelOf(yaml: string, given?: Given): Model {
  const model = settingsOf(yaml, given).models[0]
  if (!model) throw new Error('no model')
  return model
}

/** Models for a file that is about something else: there must be some. */
export const ANY_MODEL = 'models: [{ id: gone, retired: { at: 2020-01-01 } }]'

export const ACME = `
providers:
  acme: { wire: openai-chat, base_url: http://127.0.0.1:9000/v1, api_key: k }
`
/** A file with one model that holds all it must, and more lines for it. */
export function withModel(...lines: string[]): string {
  const own = ['context_length: 1000', 'max_output_tokens: 100', 'our_price: { input: 1, output: 2 }'].filter(
    (line) => !lines.some((other) => other.split(':')[0] === line.split(':')[0]),
  )
  return `${ACME}
models:
  - id: acme/chat
    targets: [{ provider: acme, model: up }]
${[...own, ...lines].map((line) => `    ${line}\n`).join('')}`
}
