import type { AnswerEvent, ToolCallDelta } from '../core/answer/event.ts'
import type { Choice, WholeAnswer } from '../core/answer/wholeAnswer.ts'
import type { ToolCall } from '../core/chat/request.ts'
import type { StreamDecoder } from './answerEnd.ts'
import { CustomInput, customInputOf } from './customInput.ts'
import type { CustomNames } from './customTools.ts'

/** An answer in which calls of these functions are calls of custom tools. */
export function withCustomCalls(answer: WholeAnswer, names: CustomNames): WholeAnswer {
  return { ...answer, choices: answer.choices.map((choice) => restoreChoice(choice, names)) }
}

function restoreChoice(choice: Choice, { custom }: CustomNames): Choice {
  const { message } = choice
  const { tool_calls: calls } = message
  if (!calls?.some((call) => isCallOf(call, custom))) return choice
  const restored = calls.map((call) => (isCallOf(call, custom) ? customCallOf(call) : call))
  return { ...choice, message: { ...message, tool_calls: restored } }
}

function isCallOf(call: Partial<ToolCall>, custom: ReadonlySet<string>): boolean {
  return call.function !== undefined && custom.has(call.function.name)
}

function customCallOf({ function: { name, arguments: text }, ...rest }: ToolCall): ToolCall {
  return { ...rest, type: 'custom', custom: { name, input: customInputOf(text) } } as unknown as ToolCall
}

/** The same for a stream. Each piece of a call stays an event, also where nothing of the input is certain by it. */
export function restoringCustomCalls(decoder: StreamDecoder, names: CustomNames): StreamDecoder {
  /** By the index of their choice, then by their own. */
  const choices = new Map<number, Map<number, CallPieces>>()

  function callAt(index: number, { index: ordinal }: ToolCallDelta): CallPieces {
    const calls = choices.get(index) ?? new Map<number, CallPieces>()
    choices.set(index, calls)
    const call = calls.get(ordinal) ?? new CallPieces(names)
    calls.set(ordinal, call)
    return call
  }

  function restore(event: AnswerEvent): AnswerEvent[] {
    if (event.type === 'finish') return [...rest(event.index), event]
    if (event.type !== 'delta' || !event.delta.tool_calls) return [event]
    const { tool_calls: pieces, ...delta } = event.delta
    const restored = pieces.flatMap((piece) => callAt(event.index, piece).add(piece))
    return [{ ...event, delta: { ...delta, ...(restored.length > 0 && { tool_calls: restored }) } }]
  }

  function rest(index: number): AnswerEvent[] {
    const pieces = [...(choices.get(index) ?? [])].flatMap(([ordinal, call]) => call.end(ordinal))
    choices.delete(index)
    return pieces.length === 0
      ? []
      : [{ type: 'delta', index, delta: { tool_calls: pieces }, isReported: true }]
  }

  return {
    get state() {
      return decoder.state
    },
    push: (frame) => decoder.push(frame).flatMap(restore),
    end: () => decoder.end().flatMap(restore),
  }
}

/** The pieces of one call. */
class CallPieces {
  readonly #names: CustomNames
  /** Undefined while its name may go on. */
  #kind: 'function' | 'custom' | undefined
  #held: ToolCallDelta | undefined
  readonly #input = new CustomInput()

  constructor(names: CustomNames) {
    this.#names = names
  }

  add(piece: ToolCallDelta): ToolCallDelta[] {
    if (this.#kind === 'function') return [piece]
    if (this.#kind === 'custom') return [this.#inputPiece(piece)]
    const whole = this.#held ? joined(this.#held, piece) : piece
    if (this.#mayGoOn(whole)) {
      this.#held = whole
      return []
    }
    return [this.#open(whole)]
  }

  /** What is left of it once its choice has ended. */
  end(index: number): ToolCallDelta[] {
    const held = this.#held
    const opened = held && this.#kind === undefined ? this.#open(held) : undefined
    const input = this.#kind === 'custom' ? this.#input.end() : ''
    const last = input === '' ? [] : [{ index, custom: { input } }]
    return opened ? [opened, ...last] : last
  }

  /** Names can come in pieces, before the arguments. */
  #mayGoOn({ function: called }: ToolCallDelta): boolean {
    if (called === undefined || called.arguments) return false
    return this.#names.mayGoOn(called.name ?? '')
  }

  #open(whole: ToolCallDelta): ToolCallDelta {
    const { function: called, ...more } = whole
    const { name = '', arguments: text = '' } = called ?? {}
    this.#kind = called && this.#names.custom.has(name) ? 'custom' : 'function'
    if (this.#kind === 'function') return whole
    return {
      ...more,
      type: 'custom',
      custom: { name, input: this.#input.push(text) },
    } as unknown as ToolCallDelta
  }

  #inputPiece({ function: called, ...more }: ToolCallDelta): ToolCallDelta {
    return { ...more, custom: { input: this.#input.push(called?.arguments ?? '') } }
  }
}

function joined(held: ToolCallDelta, { function: more, ...piece }: ToolCallDelta): ToolCallDelta {
  const name = (held.function?.name ?? '') + (more?.name ?? '')
  return { ...held, ...piece, function: { name, arguments: more?.arguments ?? '' } }
}
