import { secretMistake, withoutLineEnd } from '../../config/secret.ts'
import { didYouMean } from '../../core/didYouMean.ts'
import { KEY_PREFIX } from '../../core/id.ts'
import { printableStart, shellWord } from '../../core/printable.ts'
import type { Command } from '../command.ts'
import type { CommandContext } from '../commandContext.ts'
import { AGENTS } from '../connect/agents.ts'
import { type Agent, type Connection, PROTOCOLS, type Protocol } from '../connect/agent.ts'
import { NO_KEY, settingsText, shownSettings } from '../connect/show.ts'
import { pathText } from '../connect/settingsFile.ts'
import { undoSettings, writeSettings } from '../connect/writeSettings.ts'
import { gatewayAddress } from '../gatewayAddress.ts'
import { nonEmpty } from '../nonEmpty.ts'
import { table } from '../table.ts'
import { UsageError } from '../usageError.ts'

const DEFAULT_URL = 'http://127.0.0.1:4100'
const MODEL_LENGTH_MAX = 200

const connect: Command = {
  name: 'connect',
  summary: 'connect a coding agent: print its settings, write them, or undo that',
  positionals: [{ name: 'agent', required: false, help: 'the agent; without it, all are listed' }],
  options: {
    url: { value: 'URL', help: `address of the gateway, without /v1 (TOLLGATE_URL; default ${DEFAULT_URL})` },
    key: { value: 'KEY', help: 'the secret of a key, tg_… (TOLLGATE_KEY); required for --write' },
    model: { value: 'ID', help: 'id or alias of the model; most agents need one for --write' },
    protocol: { value: 'PROTOCOL', help: 'messages, responses or chat, where the agent has several' },
    write: { help: 'write the settings into the file of the agent, and show what changes' },
    undo: { help: 'restore what the file had before --write' },
  },
  notes:
    'Other settings in the file are kept. --write keeps the previous values in FILE.before-tollgate until --undo restores them.\nBoth files are readable only by their owner. Keys are shown by their first characters only.',
  examples: [
    'tollgate connect',
    'tollgate connect claude-code --url https://gateway.example.com',
    'tollgate connect claude-code --model anthropic/claude-sonnet-5 --write',
    'tollgate connect claude-code --undo',
  ],
  run: async (context) => {
    const id = context.value('agent')
    if (id === undefined) return list(context)
    const agent = agentOf(id)
    if (context.isOn('undo')) {
      if (context.isOn('write'))
        throw new UsageError('--write and --undo contradict each other: give one of them')
      return undoSettings(context, agent, fileOf(context, agent))
    }
    const connection = connectionOf(context, agent)
    if (context.isOn('write')) return write(context, agent, connection)
    return print(context, agent, connection)
  },
}

export const connectCommands = [connect]

function list(context: CommandContext): number {
  if (context.isOn('write') || context.isOn('undo'))
    throw new UsageError(`AGENT is missing: ${AGENTS.map((agent) => agent.id).join(', ')}`)
  const data = AGENTS.map((agent) => ({
    id: agent.id,
    name: agent.displayName,
    protocols: agent.protocols,
    file: fileOf(context, agent),
  }))
  context.show({ data }, () =>
    table(
      data,
      [
        { title: 'AGENT', cell: ({ id }) => id },
        { title: 'NAME', cell: ({ name }) => name },
        { title: 'PROTOCOLS', cell: ({ protocols }) => protocols.join(', ') },
        { title: 'FILE', cell: ({ file }) => file },
      ],
      'No agents are known.',
    ),
  )
  return 0
}

function print(context: CommandContext, agent: Agent, connection: Connection): number {
  const file = fileOf(context, agent)
  const start = startOf(agent, connection)
  const settings = shownSettings(agent, connection).map(({ at, value }) => ({ setting: pathText(at), value }))
  context.show({ agent: agent.id, file, start, settings }, () => {
    const fill = connection.key === NO_KEY ? 'your key' : 'the whole key'
    return `In ${file}:\n\n${settingsText(agent, connection)}\nPut ${fill} in the place of tg_…, or let --write do all of this. Then start: ${start}\n`
  })
  return 0
}

async function write(context: CommandContext, agent: Agent, connection: Connection): Promise<number> {
  if (connection.key === NO_KEY)
    throw new UsageError('--write needs --key or TOLLGATE_KEY: "tollgate key create" makes a key')
  if (agent.needsModel && context.value('model') === undefined)
    throw new UsageError('--write needs --model: "tollgate models" lists the models')
  return writeSettings(context, {
    file: fileOf(context, agent),
    agent,
    settings: agent.settings(connection),
    start: startOf(agent, connection),
  })
}

function agentOf(id: string): Agent {
  const agent = AGENTS.find((one) => one.id === id)
  if (agent) return agent
  const ids = AGENTS.map((one) => one.id)
  throw new UsageError(
    `there is no agent "${printableStart(id)}"${didYouMean(id, ids)}; there are: ${ids.join(', ')}`,
  )
}

function fileOf({ io }: CommandContext, agent: Agent): string {
  const home = nonEmpty(io.env['HOME'])
  if (home === undefined) throw new UsageError('HOME is not set: the files of agents are below it')
  return agent.file(home, io.env)
}

function connectionOf(context: CommandContext, agent: Agent): Connection {
  const model = context.value('model')
  if (model !== undefined && (model.trim() === '' || model.length > MODEL_LENGTH_MAX))
    throw new UsageError(`--model must be an id or an alias, of 1 to ${MODEL_LENGTH_MAX} characters`)
  // The address of an SDK ends in /v1; each agent adds what it needs.
  const url = gatewayAddress(context.remoteUrl ?? DEFAULT_URL).replace(/\/v1$/, '')
  return {
    url,
    key: keyOf(context),
    model: model ?? (agent.needsModel ? 'MODEL' : undefined),
    protocol: protocolOf(context, agent),
  }
}

/** Messages never repeat it. */
function keyOf(context: CommandContext): string {
  const given = context.value('key') ?? nonEmpty(context.io.env['TOLLGATE_KEY'])
  if (given === undefined) return NO_KEY
  const key = withoutLineEnd(given)
  const mistake =
    secretMistake(key) ?? (key.startsWith(KEY_PREFIX) ? undefined : `must begin with ${KEY_PREFIX}`)
  if (mistake !== undefined) throw new UsageError(`the key ${mistake}`)
  return key
}

function protocolOf(context: CommandContext, { displayName, protocols }: Agent): Protocol {
  const given = context.value('protocol')
  if (given === undefined) return protocols[0]
  const protocol = PROTOCOLS.find((one) => one === given)
  if (protocol === undefined || !protocols.includes(protocol))
    throw new UsageError(
      `--protocol must be ${protocols.join(' or ')} for ${displayName}, not "${printableStart(given)}"`,
    )
  return protocol
}

function startOf(agent: Agent, { model = '' }: Connection): string {
  return agent.start(shellWord(model))
}
