import type { Json } from '../../core/json.ts'
import type { Io } from '../deps.ts'

/** What an agent can send to the gateway: Anthropic's Messages, OpenAI's Responses, or its chat completions. */
export const PROTOCOLS = ['messages', 'responses', 'chat'] as const
export type Protocol = (typeof PROTOCOLS)[number]

/** What the settings of an agent are made of. */
export interface Connection {
  /** Address of the gateway, without `/v1` and without a slash at the end. */
  readonly url: string
  readonly key: string
  /** Id or alias; undefined: the agent keeps its own. */
  readonly model: string | undefined
  readonly protocol: Protocol
}

/** Into a file of settings: names of fields, and entries of lists by one of their fields. */
export type Path = readonly Step[]
export type Step = string | { readonly by: string; readonly is: string }

/** One value that connects an agent. */
export interface Setting {
  readonly at: Path
  readonly value: Json
  /** It is a key: never shown in full. */
  readonly secret?: true
  /** Any value that is there already is kept: the agent or its user changes it later. */
  readonly ifAbsent?: true
}

/** An agent whose own file of settings `tollgate connect` can write. */
export interface Agent {
  readonly id: string
  readonly displayName: string
  /** The first is the one that works best. */
  readonly protocols: readonly [Protocol, ...Protocol[]]
  /** Without a model it asks for models of its own. */
  readonly needsModel: boolean
  readonly format: 'json' | 'yaml' | 'toml'
  /** @param home the user's home folder */
  readonly file: (home: string, env: Io['env']) => string
  readonly settings: (connection: Connection) => readonly Setting[]
  /** How it starts with these settings; `model` is quoted for a shell. */
  readonly start: (model: string) => string
}
