import { expect } from 'bun:test'
import { type UpstreamFailure, isCharged } from '../../../src/core/failure.ts'
import { refusalOf } from '../../../src/core/refusalOf.ts'
import { afterFailure } from '../../../src/upstream/afterFailure.ts'
import { effectOf } from '../../../src/upstream/routing/effect.ts'
import { failureIn } from '../../support/wireFixtures.ts'
import type { Cell, Rule } from '../rule.ts'

const OTHERS = { credential: true, target: true }

function read({ client, column }: Cell, status: number, sentence: string): UpstreamFailure {
  return client.decodeError(column.error(status, sentence))
}

/** Whose fault an error is: the sentences are of one provider each, and the formats are resold by others. */
export const ERROR_RULES: readonly Rule[] = [
  {
    name: 'a 400 about the account is a 502, and the next key is tried',
    check(cell) {
      for (const sentence of [
        'This organization has been disabled.',
        'Your organization must be verified to use the model.',
        'Your account has been suspended.',
        'Your account is not active, please check your billing details on our website.',
        'Access denied, please make sure your account is in good standing.',
      ]) {
        const failure = read(cell, 400, sentence)
        expect([sentence, refusalOf(failure).code]).toEqual([sentence, 'upstream_error'])
        expect(afterFailure(failure, 1, OTHERS)).toBe('rotate')
      }
    },
  },
  {
    name: "a 400 about the model's name is a 502, and the next target is tried",
    check(cell) {
      for (const sentence of [
        'The model m-1 does not exist or you do not have access to it.',
        'The model m-1 has been decommissioned and is no longer supported.',
        'The API deployment for this resource does not exist.',
        'm-1 is not a valid model ID',
      ])
        expect([sentence, read(cell, 400, sentence).kind]).toEqual([sentence, 'not_found'])
    },
  },
  {
    name: 'a status that no request causes is a 502, and the next target is tried',
    check(cell) {
      for (const status of [404, 405, 406, 410, 411, 415, 418, 426]) {
        const failure = cell.client.decodeError({ status, headers: new Map(), body: '' })
        expect([status, failure.kind, refusalOf(failure).code]).toEqual([
          status,
          'not_found',
          'upstream_error',
        ])
      }
      expect(read(cell, 405, 'Method Not Allowed').kind).toBe('not_found')
    },
  },
  {
    name: 'a request above a limit of the account by itself is a 400 with both numbers, and blocks nothing',
    check(cell) {
      const sentence =
        'Request too large for m-1 in organization org-1 on tokens per min (TPM): Limit 6000, Requested 9000. The input or output tokens must be reduced in order to run successfully.'
      const failure = read(cell, 429, sentence)
      expect(failure).toMatchObject({ kind: 'over_limit', limit: 6_000, requested: 9_000 })
      expect(afterFailure(failure, 1, OTHERS)).toBe('rotate')
      expect(effectOf(failure)).toEqual({ on: 'request' })
      const { code, message, retryAfterSeconds } = refusalOf(failure)
      expect([code, retryAfterSeconds]).toEqual(['invalid_request', undefined])
      expect(message).toMatch(/9000.*6000/)
    },
  },
  {
    name: 'a rate that is used up and comes back is a 503',
    check(cell) {
      const sentence =
        'Rate limit reached for m-1 on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443.'
      expect(read(cell, 429, sentence).kind).toBe('rate_limited')
    },
  },
  {
    name: 'bytes, images and texts that are too large are not messages that are too long',
    check(cell) {
      for (const [status, sentence, part] of [
        [413, 'Request exceeds the maximum size', 'body'],
        [400, 'Request payload size exceeds the limit: 20971520 bytes.', 'body'],
        [400, 'image exceeds 5 MB maximum: 8259148 bytes > 5242880 bytes', 'image'],
        [400, 'too many images and documents: 19 + 5 > 20', 'images'],
        [
          400,
          'string too long. Expected a string with maximum length 1024, but got a string with length 1103.',
          'text',
        ],
        [
          400,
          'array too long. Expected an array with maximum length 128, but got an array with length 150.',
          'list',
        ],
      ] as const) {
        const failure = read(cell, status, sentence)
        expect(failure).toMatchObject({ kind: 'oversized', part })
        expect(afterFailure(failure, 1, OTHERS)).toBe('next')
        expect(refusalOf(failure).message).not.toMatch(/messages/i)
      }
    },
  },
  {
    name: 'an output limit that is too large is named, with the number that the model takes',
    check(cell) {
      const sentence =
        'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.'
      const { code, param, message } = refusalOf(read(cell, 400, sentence))
      expect([code, param]).toEqual(['invalid_request', 'max_tokens'])
      expect(message).toContain('16384')
    },
  },
  {
    name: 'messages and an output limit that are too long together name the output limit where the messages fit',
    check(cell) {
      const sum = (messages: number, output: number) =>
        `This model's maximum context length is 4096 tokens. However, you requested ${messages + output} tokens (${messages} in the messages, ${output} in the completion).`
      expect(refusalOf(read(cell, 400, sum(1_000, 4_000))).param).toBe('max_tokens')
      expect(refusalOf(read(cell, 400, sum(5_000, 100))).param).toBe('messages')
    },
  },
  {
    name: 'a call or JSON that the model wrote wrongly is a 502, and the next target is tried',
    check(cell) {
      for (const sentence of [
        "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        'Failed to validate JSON.',
        'Model produced invalid sequence as part of ToolUse.',
        'No valid tool call or response generated',
      ])
        expect([sentence, read(cell, 400, sentence).kind]).toEqual([sentence, 'malformed_output'])
    },
  },
  {
    name: 'what the request or the model did is known in a stream that says it as a failure of its own, and is charged',
    check({ events, column }) {
      for (const [sentence, kind] of [
        ['Context size has been exceeded.', 'too_large'],
        ['error parsing tool call: raw=…, err=unexpected end of JSON input', 'malformed_output'],
        ['The model produced invalid content. Consider modifying your prompt.', 'malformed_output'],
        [
          "Failed to call a function. Please adjust your prompt. See 'failed_generation'.",
          'malformed_output',
        ],
      ] as const) {
        const failure = failureIn(events([column.failureFrame(sentence)], 1))
        expect([sentence, failure?.kind, failure && isCharged(failure)]).toEqual([sentence, kind, true])
      }
    },
  },
]
