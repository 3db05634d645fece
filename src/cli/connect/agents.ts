import { join } from 'node:path'
import { nonEmpty } from '../nonEmpty.ts'
import type { Agent, Connection, Path, Protocol, Setting } from './agent.ts'

/** The name under which the gateway is in files that have several providers. */
const PROVIDER = 'tollgate'
const DISPLAY_NAME = 'Tollgate'

const claudeCode: Agent = {
  id: 'claude-code',
  displayName: 'Claude Code',
  protocols: ['messages'],
  needsModel: false,
  format: 'json',
  file: (home, env) => join(nonEmpty(env['CLAUDE_CONFIG_DIR']) ?? join(home, '.claude'), 'settings.json'),
  settings: ({ url, key, model }) => [
    { at: ['env', 'ANTHROPIC_BASE_URL'], value: url },
    { at: ['env', 'ANTHROPIC_AUTH_TOKEN'], value: key, secret: true },
    ...(model === undefined
      ? []
      : [
          { at: ['env', 'ANTHROPIC_MODEL'], value: model },
          // Titles and summaries ask for a small model of Anthropic's, which the gateway may not have.
          { at: ['env', 'ANTHROPIC_DEFAULT_HAIKU_MODEL'], value: model },
        ]),
  ],
  start: () => 'claude',
}

const codex: Agent = {
  id: 'codex',
  displayName: 'Codex',
  protocols: ['responses'],
  needsModel: true,
  format: 'toml',
  file: (home, env) => join(nonEmpty(env['CODEX_HOME']) ?? join(home, '.codex'), 'config.toml'),
  settings({ url, key, model = '' }) {
    const provider = ['model_providers', PROVIDER]
    return [
      { at: ['model'], value: model },
      { at: ['model_provider'], value: PROVIDER },
      { at: [...provider, 'name'], value: DISPLAY_NAME },
      { at: [...provider, 'base_url'], value: `${url}/v1` },
      // `env_key` would name a variable, which each shell would have to set.
      { at: [...provider, 'experimental_bearer_token'], value: key, secret: true },
      { at: [...provider, 'wire_api'], value: 'responses' },
    ]
  },
  start: () => 'codex',
}

const opencode: Agent = {
  id: 'opencode',
  displayName: 'opencode',
  protocols: ['messages', 'responses', 'chat'],
  needsModel: true,
  format: 'json',
  file: (home, env) =>
    join(nonEmpty(env['XDG_CONFIG_HOME']) ?? join(home, '.config'), 'opencode', 'opencode.json'),
  settings({ url, key, model = '', protocol }) {
    const provider = ['provider', PROVIDER]
    const name = `${PROVIDER}/${model}`
    return [
      { at: ['model'], value: name },
      { at: ['small_model'], value: name },
      { at: [...provider, 'name'], value: DISPLAY_NAME },
      { at: [...provider, 'npm'], value: OPENCODE_ADAPTERS[protocol] },
      { at: [...provider, 'options', 'baseURL'], value: `${url}/v1` },
      { at: [...provider, 'options', 'apiKey'], value: key, secret: true },
      { at: [...provider, 'models', model], value: {}, ifAbsent: true },
    ]
  },
  start: () => 'opencode',
}

const OPENCODE_ADAPTERS = {
  messages: '@ai-sdk/anthropic',
  responses: '@ai-sdk/openai',
  chat: '@ai-sdk/openai-compatible',
} as const satisfies Record<Protocol, string>

const qwen: Agent = {
  id: 'qwen',
  displayName: 'Qwen Code',
  protocols: ['messages', 'responses', 'chat'],
  needsModel: true,
  format: 'json',
  file: (home, env) => join(nonEmpty(env['QWEN_HOME']) ?? join(home, '.qwen'), 'settings.json'),
  settings({ url, key, model = '', protocol }) {
    const isMessages = protocol === 'messages'
    const vendor = isMessages ? 'ANTHROPIC' : 'OPENAI'
    return [
      { at: ['security', 'auth', 'selectedType'], value: QWEN_TYPES[protocol].join('-') },
      { at: ['env', `${vendor}_BASE_URL`], value: isMessages ? url : `${url}/v1` },
      { at: ['env', `${vendor}_API_KEY`], value: key, secret: true },
      { at: ['model', 'name'], value: model },
    ]
  },
  start: () => 'qwen',
}

const QWEN_TYPES = {
  messages: ['anthropic'],
  responses: ['openai', 'responses'],
  chat: ['openai'],
} as const satisfies Record<Protocol, readonly string[]>

const pi: Agent = {
  id: 'pi',
  displayName: 'pi',
  protocols: ['messages', 'responses', 'chat'],
  needsModel: true,
  format: 'json',
  file: (home, env) =>
    join(nonEmpty(env['PI_CODING_AGENT_DIR']) ?? join(home, '.pi', 'agent'), 'models.json'),
  settings({ url, key, model = '', protocol }) {
    const provider = ['providers', PROVIDER]
    const isMessages = protocol === 'messages'
    return [
      { at: [...provider, 'baseUrl'], value: isMessages ? url : `${url}/v1` },
      { at: [...provider, 'api'], value: PI_APIS[protocol].join('-') },
      { at: [...provider, 'apiKey'], value: key, secret: true },
      {
        at: [...provider, 'models', { by: 'id', is: model }],
        value: { id: model },
        ifAbsent: true,
      },
    ]
  },
  start: (model) => `pi --provider ${PROVIDER} --model ${model}`,
}

const PI_APIS = {
  messages: ['anthropic', 'messages'],
  responses: ['openai', 'responses'],
  chat: ['openai', 'completions'],
} as const satisfies Record<Protocol, readonly string[]>

const cline: Agent = {
  id: 'cline',
  displayName: 'Cline CLI',
  // On Messages it limits the answers of unknown models to 4,096 tokens, and does not repeat a broken stream.
  protocols: ['chat', 'responses', 'messages'],
  needsModel: true,
  format: 'json',
  file: (home, env) => {
    const folder = nonEmpty(env['CLINE_DIR']) ?? join(home, '.cline')
    return join(nonEmpty(env['CLINE_DATA_DIR']) ?? join(folder, 'data'), 'settings', 'providers.json')
  },
  settings({ url, key, model = '', protocol }) {
    const provider = CLINE_PROVIDERS[protocol]
    const at = ['providers', provider]
    return [
      { at: ['version'], value: 1, ifAbsent: true },
      { at: ['lastUsedProvider'], value: provider },
      { at: [...at, 'settings', 'provider'], value: provider },
      { at: [...at, 'settings', 'apiKey'], value: key, secret: true },
      { at: [...at, 'settings', 'model'], value: model },
      { at: [...at, 'settings', 'baseUrl'], value: `${url}/v1` },
      // Without these two it discards the whole file. It renews the time at each start.
      { at: [...at, 'updatedAt'], value: '2026-01-01T00:00:00.000Z', ifAbsent: true },
      { at: [...at, 'tokenSource'], value: 'manual', ifAbsent: true },
    ]
  },
  start: () => 'cline',
}

const CLINE_PROVIDERS = {
  messages: 'anthropic',
  responses: 'openai-native',
  chat: 'openai-compatible',
} as const satisfies Record<Protocol, string>

const continueCli: Agent = {
  id: 'continue',
  displayName: 'Continue',
  // On Messages it gives up at the first 429.
  protocols: ['chat', 'messages'],
  needsModel: true,
  format: 'yaml',
  file: (home, env) => join(nonEmpty(env['CONTINUE_GLOBAL_DIR']) ?? join(home, '.continue'), 'config.yaml'),
  settings(connection) {
    return [
      { at: ['name'], value: 'Local Config', ifAbsent: true },
      { at: ['version'], value: '1.0.0', ifAbsent: true },
      { at: ['schema'], value: 'v1', ifAbsent: true },
      ...continueModel(['models', { by: 'name', is: DISPLAY_NAME }], connection),
    ]
  },
  start: () => 'cn',
}

function continueModel(entry: Path, { url, key, model = '', protocol }: Connection): Setting[] {
  return [
    { at: [...entry, 'provider'], value: protocol === 'messages' ? 'anthropic' : 'openai' },
    { at: [...entry, 'model'], value: model },
    { at: [...entry, 'apiBase'], value: `${url}/v1` },
    { at: [...entry, 'apiKey'], value: key, secret: true },
    { at: [...entry, 'roles'], value: ['chat'], ifAbsent: true },
    { at: [...entry, 'capabilities'], value: ['tool_use'], ifAbsent: true },
  ]
}

/** Every agent that `tollgate connect` knows. Each has finished a task with tools with these settings. */
export const AGENTS: readonly Agent[] = [claudeCode, codex, opencode, qwen, pi, cline, continueCli]
