/** What a codec needs to know about the model behind a target, beyond its limits and the fields that it refuses. */
export interface ModelFacts {
  /** How `reasoning_effort` is sent, in formats that have several ways. Absent: the model takes none of them. */
  readonly reasoning?: ReasoningControl
  /** Rejects an earlier tool call of its own without the signature that came with it. Absent: it does not. */
  readonly requiresSignedCalls?: true
  /** The response formats beside `text` that it takes. Absent: all of its wire format. */
  readonly responseFormats?: readonly ResponseFormatType[]
  /** Does not go on with a message of the assistant at the end (prefill). Absent: it does. */
  readonly refusesPrefill?: true
  /** Takes system messages among its turns, behind one of the user. Absent: it is not known; they are sent at the top. */
  readonly systemInPlace?: boolean
  /** Answers nonsense where the schema of its response format names its dialect (`$schema`). Absent: it does not. */
  readonly schemaWithoutDialect?: true
  /** Takes a user's message right behind the result of a tool, in formats that have no such order. Absent: it does not. */
  readonly userAfterTool?: true
  /** Takes a response format or tools, not both. Absent: it takes both. */
  readonly formatOrTools?: true
}

export type ResponseFormatType = 'json_object' | 'json_schema'

/** Models whose names follow one scheme, by which facts about an unknown one can be guessed. */
export type ModelFamily = 'anthropic' | 'bedrock' | 'google' | 'mistral'

/** How a model is asked to reason. */
export type ReasoningControl =
  /** By a number of tokens. `tokensMin`: the least that it accepts; absent: 0, which disables reasoning. */
  | { readonly kind: 'budget'; readonly tokensMin?: number }
  /** By an effort; the model decides how much each request needs. `always`: reasoning cannot be disabled. */
  | { readonly kind: 'adaptive'; readonly always?: true }
  /** By one of these levels, weakest first. */
  | { readonly kind: 'level'; readonly levels: readonly ReasoningLevel[] }

export type ReasoningLevel = 'minimal' | 'low' | 'medium' | 'high'
