import {
  type Act,
  type RecordedRequest,
  answers,
  hang,
  inOrder,
  openaiChunk,
  openaiError,
  pause,
  respond,
  sse,
  stream,
} from '../../support/scriptedProvider.ts'
import { PLAYS, type Play, promptFor } from './ways.ts'

/** The time until the provider's first event. */
export const FIRST_EVENT_MS = 20
const SLOW_MS = 400
const LARGE_FRAME_BYTES = 4 * 1024 * 1024
const BEGUN = [openaiChunk({ role: 'assistant', content: '' }), openaiChunk({ content: 'Hello' })]

/** A provider that harms a caller that asks for it, and answers all others after `FIRST_EVENT_MS`. */
export function hostileProvider(request: RecordedRequest): Act {
  const text = JSON.stringify(request.body)
  const play = PLAYS.find((one) => text.includes(promptFor(one)))
  const act = play ? actOf(play, text) : answers({ pieces: ['Hello', ' world'] })
  return inOrder(pause(FIRST_EVENT_MS), act)
}

function actOf(play: Play, text: string): Act {
  switch (play) {
    case 'account words': {
      const effort = /"reasoning_effort":"([^"]*)"/.exec(text)?.[1] ?? 'none'
      return openaiError(400, {
        message: `Invalid value: '${effort}'. You are out of credits, your quota is exceeded.`,
        param: 'reasoning_effort',
      })
    }
    case 'rate limit':
      return openaiError(429, { message: 'Rate limit reached.', code: 'rate_limit_exceeded' })
    case 'server error':
      return openaiError(500, { message: 'The server had an error.' })
    case 'refused image':
      return openaiError(400, { message: 'Invalid image.', code: 'invalid_image' })
    case 'malformed':
      return respond({ body: '{"choices": 7}', headers: { 'content-type': 'application/json' } })
    case 'policy':
      return stream([...BEGUN, { error: { message: 'Content policy.', code: 'content_policy_violation' } }])
    case 'cut':
      return stream(BEGUN)
    case 'silent':
      return hang()
    case 'large frame':
      return stream([...BEGUN, `data: {"choices":[${'[],'.repeat(LARGE_FRAME_BYTES / 3)}[]]}\n\n`])
    case 'endless':
      return stream([
        ...BEGUN,
        ...Array.from({ length: 2_000 }, () => openaiChunk({ content: ' more'.repeat(50) })),
        sse('[DONE]'),
      ])
    case 'slow':
      return answers({ pieces: ['Hello', pause(SLOW_MS), ' world'] })
    case 'reasons alone':
      return stream([...BEGUN.slice(0, 1), openaiChunk({ reasoning_content: 'hm '.repeat(1_000) }), hang()])
  }
}
