import { describe, expect, test } from 'bun:test'
import type { WorkspaceId } from '../../core/id.ts'
import { testModel } from '../../../test/support/testRoute.ts'
import { ANSWERS_MIN, ANSWERS_REMEMBERED, LEARNT_NEEDS_MAX, createLearntNeeds } from './learntNeeds.ts'

const MODEL = testModel({ assumedOutputTokens: 500, maxOutputTokens: 8_000 })
const OTHER = testModel({ id: 'acme/other', assumedOutputTokens: 500, maxOutputTokens: 8_000 })
const ACME = 'ws_1' as WorkspaceId
const ZENITH = 'ws_2' as WorkspaceId

describe('what answers usually take', () => {
  test('is what the model is said to take, until the own answers of a workspace tell of more', () => {
    const needs = createLearntNeeds()
    for (let i = 1; i < ANSWERS_MIN; i++) needs.learn(ACME, MODEL, 2_000)
    expect(needs.usual(ACME, MODEL)).toBe(500)
    needs.learn(ACME, MODEL, 2_000)
    expect(needs.usual(ACME, MODEL)).toBe(2_000)
    expect([needs.usual(ZENITH, MODEL), needs.usual(ACME, OTHER)]).toEqual([500, 500])
  })

  test('is what all but one in twenty are within', () => {
    const needs = createLearntNeeds()
    for (let i = 0; i < ANSWERS_REMEMBERED; i++) needs.learn(ACME, MODEL, i % 32 === 0 ? 7_000 : 1_000)
    expect(needs.usual(ACME, MODEL)).toBe(1_000)
    for (let i = 0; i < ANSWERS_REMEMBERED; i++) needs.learn(ACME, MODEL, i % 16 === 0 ? 7_000 : 1_000)
    expect(needs.usual(ACME, MODEL)).toBe(7_000)
  })

  test('follows the recent answers, down again too, and never below what the model is said to take', () => {
    const needs = createLearntNeeds()
    for (let i = 0; i < ANSWERS_REMEMBERED; i++) needs.learn(ACME, MODEL, 4_000)
    for (let i = 0; i < ANSWERS_REMEMBERED; i++) needs.learn(ACME, MODEL, 10)
    expect(needs.usual(ACME, MODEL)).toBe(500)
  })

  test('is never more than the model can write', () => {
    const needs = createLearntNeeds()
    for (let i = 0; i < ANSWERS_MIN; i++) needs.learn(ACME, MODEL, 100_000)
    expect(needs.usual(ACME, MODEL)).toBe(8_000)
  })

  test('is forgotten for those who were not heard of longest, beyond a bound', () => {
    const needs = createLearntNeeds()
    for (let i = 0; i < ANSWERS_MIN; i++) needs.learn(ACME, MODEL, 2_000)
    for (let i = 0; i < LEARNT_NEEDS_MAX; i++) needs.learn(`ws_other_${i}` as WorkspaceId, MODEL, 2_000)
    expect(needs.usual(ACME, MODEL)).toBe(500)
  })
})
