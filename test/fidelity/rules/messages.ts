import { expect } from 'bun:test'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { type EncodedRequest, UnsupportedField } from '../../../src/wire/wire.ts'
import type { Cell, Rule } from '../rule.ts'
import { turnsIn } from './requests.ts'

const HI: JsonObject = { role: 'user', content: 'Hi' }
const BYE: JsonObject = { role: 'user', content: 'Bye' }
const CALL: JsonObject = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'D681PevKs', type: 'function', function: { name: 'tide_at', arguments: '{"city":"Rome"}' } },
  ],
}
const PNG = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAE='

/** The same call as an item of its own. */
const CUSTOM_ITEM = '{"type":"custom_tool_call","call_id":"D681PevKt","name":"run_odd","input":"x"}'

/** What formats call a part that is text. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text'])

/** Fields of earlier answers: each is sent, or left out by name. */
const ANSWER_FIELDS: readonly JsonObject[] = [
  { name: 'marker-a' },
  { audio: { id: 'marker-b' } },
  { refusal: 'marker-g' },
  { images: [{ type: 'image_url', image_url: { url: PNG } }] },
  { reasoning_content: 'marker-c' },
  { reasoning_details: [{ type: 'reasoning.text', text: 'marker-d', signature: 'signed' }] },
  { reasoning_details: [{ type: 'reasoning.text', text: 'marker-e' }] },
  { reasoning_details: [{ type: 'reasoning.encrypted', data: 'bWFya2Vy' }] },
  { reasoning_details: [{ type: 'reasoning.summary', summary: 'marker-f' }] },
]

const PARTS: readonly JsonObject[] = [
  { type: 'image_url', image_url: { url: PNG } },
  { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
  { type: 'image_url', image_url: { url: 'data:image/tiff;base64,SUkqAAgAAAA=' } },
  { type: 'image_url', image_url: { url: 'ftp://example.com/a.png' } },
  { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0xLjQK' } },
  { type: 'file', file: { file_id: 'file-1' } },
  { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
  { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
]

/** What a conversation holds, message by message. */
export const MESSAGE_RULES: readonly Rule[] = [
  {
    name: 'a text of any role is sent to the letter',
    check(cell) {
      const text = (who: string) => `  ${who}: "a"\\b\t€🌍\u2028\n\n`
      const messages = [
        { role: 'system', content: text('system') },
        { role: 'user', content: text('user') },
        { ...CALL, content: text('assistant') },
        { role: 'tool', tool_call_id: 'D681PevKs', content: text('tool') },
        { role: 'user', content: [{ type: 'text', text: text('part') }] },
      ]
      const texts = textsIn(cell.sent({ messages }).body)
      for (const who of ['system', 'user', 'assistant', 'tool', 'part'])
        expect([who, texts.filter((said) => said === text(who))]).toEqual([who, [text(who)]])
    },
  },
  {
    name: 'a message of white space alone is sent as it is or left out, and a user who has the last word, or the only one, says "."',
    check(cell) {
      const turns = (messages: readonly JsonObject[]) => turnsIn(cell.sent({ messages }).body)
      const user = (content: Json): JsonObject => ({ role: 'user', content })
      const answer = { role: 'assistant', content: 'Hello.' }
      for (const blank of ['', ' ', '\n\t', [{ type: 'text', text: ' ' }]]) {
        const said = cell.column.sendsAsWritten ? blank : '.'
        const instructed = [{ role: 'system', content: blank }, user(blank)]
        expect(turns([user(blank)])).toEqual(turns([user(said)]))
        expect(turns(instructed)).toEqual(turns(cell.column.sendsAsWritten ? instructed : [user('.')]))
        expect(turns([HI, answer, user(blank), user(blank)]).at(-1)).toBe(turns([user(said)])[0] ?? '')
      }
    },
  },
  {
    name: 'white space between the parts of a message is sent to the letter',
    check(cell) {
      const parts = [' ', 'a', '\n\n', '\t', 'b', ' '].map((text) => ({ type: 'text', text }))
      for (const role of ['user', 'assistant']) {
        const { body } = cell.sent({ messages: [HI, { role, content: parts }, BYE] })
        expect([
          role,
          textsIn(body)
            .filter((text) => !TEXT_TYPES.has(text))
            .join(''),
        ]).toEqual([role, expect.stringContaining(' a\n\n\tb ')])
      }
    },
  },
  {
    name: 'instructions alone are sent as they are, or are the words of the user',
    check(cell) {
      const instruction = { role: 'system', content: 'Be kind.' }
      const role = cell.column.sendsAsWritten ? 'system' : 'user'
      for (const messages of [[instruction], [instruction, { role: 'user', content: '' }]])
        expect(turnsIn(cell.sent({ messages }).body)[0]).toBe(`"${role}" Be kind.`)
    },
  },
  {
    name: 'a thought that says that another provider signed it is left out by name, or sent where nothing is rewritten',
    check(cell) {
      for (const thought of [
        { type: 'reasoning.text', text: 'Hm.', signature: 'marker', format: 'openai-responses-v1' },
        { type: 'reasoning.encrypted', data: 'marker', format: 'xai-responses-v1' },
      ]) {
        if (thought.format === cell.column.thoughts) continue
        const answer = { role: 'assistant', content: 'Hello.', reasoning_details: [thought] }
        const { body, dropped } = cell.sent({ messages: [HI, answer, BYE] })
        const isSent = JSON.stringify(body).includes('marker')
        expect([isSent, dropped.includes('messages.reasoning_details')]).toEqual(
          cell.column.sendsAsWritten && cell.column.thoughts === undefined ? [true, false] : [false, true],
        )
      }
    },
  },
  {
    name: 'the parts of one instruction are one text',
    check(cell) {
      const parts = ['Be ', 'kind.'].map((text) => ({ type: 'text', text }))
      const { body } = cell.sent({ messages: [{ role: 'system', content: parts }, HI] })
      expect(
        textsIn(body)
          .filter((text) => !TEXT_TYPES.has(text) && text !== 'system')
          .join(''),
      ).toContain('Be kind.')
    },
  },
  {
    name: 'an instruction of a developer is sent as one of the system',
    check(cell) {
      const bodyOf = (role: string, content: Json) =>
        JSON.stringify(cell.sent({ messages: [{ role, content }, HI] }).body).replaceAll(
          '"developer"',
          '"system"',
        )
      for (const content of ['Be kind.', [{ type: 'text', text: 'Be kind.' }]])
        expect(bodyOf('developer', content)).toBe(bodyOf('system', content))
    },
  },
  {
    name: 'a refusal of an earlier answer stays in the conversation, whatever its content is',
    check(cell) {
      for (const said of [
        { content: null, refusal: 'I will not.' },
        { content: '', refusal: 'I will not.' },
        { content: [{ type: 'text', text: '' }], refusal: 'I will not.' },
        { content: [{ type: 'refusal', refusal: 'I will not.' }] },
        { content: '', refusal: 'I will not.', tool_calls: CALL['tool_calls'] as Json },
      ]) {
        const calls = 'tool_calls' in said
        const result = { role: 'tool', tool_call_id: 'D681PevKs', content: 'High' }
        const messages = [HI, { role: 'assistant', ...said }, ...(calls ? [result] : []), BYE]
        const texts = textsIn(cell.sent({ messages }).body)
        expect([said, texts.filter((text) => text === 'I will not.')]).toEqual([said, ['I will not.']])
      }
    },
  },
  {
    name: 'what the model said, thought or showed earlier is sent back, or left out by name',
    check(cell) {
      for (const more of ANSWER_FIELDS) {
        const bodyOf = (answer: JsonObject) =>
          cell.sent({ messages: [HI, { role: 'assistant', content: 'Hello', ...answer }, BYE] })
        const [plain, full] = [bodyOf({}), bodyOf(more)]
        const [field = ''] = Object.keys(more)
        const isSent = !Bun.deepEquals(full.body, plain.body)
        expect([more, full.dropped]).toEqual([more, isSent ? [] : [`messages.${field}`]])
      }
    },
  },
  {
    name: 'a part of a message is sent, or refused by its place, also behind an empty text',
    check(cell) {
      for (const before of ['Look:', ''])
        for (const part of PARTS) {
          const content = [{ type: 'text', text: before }, part]
          const outcome = outcomeOf(cell, [
            { role: 'system', content: 'Be kind.' },
            { role: 'user', content },
          ])
          const [data = ''] = JSON.stringify(part).match(/(?<=base64,|"data":"|"url":"(?!data))[^"]+/) ?? []
          if (typeof outcome === 'string')
            expect([part, outcome]).toEqual([part, expect.stringMatching(/^messages\[1\]\.content\[1\]\./)])
          else expect(JSON.stringify(outcome.body)).toContain(data)
        }
    },
  },
  {
    name: 'instructions and results take text in parts, and send other parts or refuse them by their message',
    check(cell) {
      const conversations = (content: Json) => [
        [{ role: 'system', content }, HI],
        [HI, CALL, { role: 'tool', tool_call_id: 'D681PevKs', content }],
      ]
      const parts = ['One.', '', 'Two.'].map((text) => ({ type: 'text', text }))
      for (const messages of conversations(parts))
        expect(textsIn(cell.sent({ messages }).body).join(' ')).toMatch(/One\..*Two\./s)
      for (const part of PARTS)
        for (const messages of conversations([...parts, part])) {
          const outcome = outcomeOf(cell, messages)
          const place = messages.findIndex(({ content }) => Array.isArray(content))
          const [data = ''] = JSON.stringify(part).match(/(?<=base64,|"data":"|"url":"(?!data))[^"]+/) ?? []
          if (typeof outcome === 'string')
            expect([part, outcome]).toEqual([
              part,
              expect.stringMatching(new RegExp(`^messages\\[${place}\\]\\.content\\b`)),
            ])
          else expect(JSON.stringify(outcome.body)).toContain(data)
        }
    },
  },
  {
    name: 'a result without a word is still a result',
    check(cell) {
      for (const content of ['', [{ type: 'text', text: '' }]]) {
        const { body } = cell.sent({
          messages: [HI, CALL, { role: 'tool', tool_call_id: 'D681PevKs', content }],
        })
        expect(JSON.stringify(body).split('"D681PevKs"')).toHaveLength(3)
      }
    },
  },
  {
    name: 'a call of the older interface and its result are sent as such, or as a tool call with its result',
    check(cell) {
      const call = { name: 'tide_at', arguments: '{"city":"Rome"}' }
      const messages = (text: string) => [
        HI,
        { role: 'assistant', content: null, function_call: call },
        { role: 'function', name: 'tide_at', content: text },
      ]
      const { body, dropped } = cell.sent({ messages: [...messages('High'), ...messages('Low')] })
      const text = JSON.stringify(body).replaceAll('\\', '')
      expect(text).toMatch(/tide_at.*"city":"Rome".*High.*tide_at.*"city":"Rome".*Low/s)
      expect(dropped).toEqual([])
      const ids = [...text.matchAll(/"(?:id|toolUseId|tool_use_id|tool_call_id)":"([^"]+)"/g)].map(
        ([, id]) => id,
      )
      expect(ids).toEqual(ids.length === 0 ? [] : [ids[0], ids[0], ids[2], ids[2]])
      expect(new Set(ids).size).toBe(ids.length / 2)
    },
  },
  {
    name: 'arguments of an earlier call that are not a JSON object are sent as they are, or refused by their place',
    check(cell) {
      for (const given of ['[1,2]', '"marker"', '{"city":', 'null']) {
        const calls = [{ id: 'D681PevKs', type: 'function', function: { name: 'f', arguments: given } }]
        const outcome = outcomeOf(cell, [HI, { role: 'assistant', content: null, tool_calls: calls }])
        if (typeof outcome === 'string')
          expect([given, outcome]).toEqual([given, 'messages[1].tool_calls[0].function.arguments'])
        else expect(textsIn(outcome.body)).toContain(given)
      }
    },
  },
  {
    name: 'a call that is not of a function is sent as it is, or as a call with the text of its input',
    check(cell) {
      const calls = [
        { id: 'D681PevKs', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'D681PevKt', type: 'custom', custom: { name: 'run_odd', input: 'x' } },
      ]
      const { body } = cell.sent({ messages: [HI, { role: 'assistant', content: null, tool_calls: calls }] })
      const sent = JSON.stringify(body)
      if (sent.includes(JSON.stringify(calls[1])) || sent.includes(CUSTOM_ITEM)) return
      expect(sent).toMatch(/"run_odd"/)
      expect(sent).toMatch(/\{\\?"input\\?":\\?"x\\?"\}/)
    },
  },
]

/** What is sent, or the place of what is refused. */
function outcomeOf(cell: Cell, messages: JsonObject[]): EncodedRequest | string {
  try {
    return cell.sent({ messages })
  } catch (error) {
    if (error instanceof UnsupportedField) return error.param
    throw error
  }
}

/** All texts of a request of any format. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
