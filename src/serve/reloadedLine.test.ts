import { expect, test } from 'bun:test'
import { reloadedLine } from './reloadedLine.ts'

const models = (...ids: string[]) => ids.map((id) => ({ id }))

test('a reload that drops models warns with their numbers and ids', () => {
  expect(reloadedLine(models('a', 'b', 'c'), models('c', 'd'))).toEqual({
    level: 'warn',
    fields: { models_before: 3, models: 2, models_gone: ['a', 'b'] },
    sentence: 'the configuration was reloaded; 2 of 3 models are gone',
  })
})

test('of many models that are gone ten are named', () => {
  const many = models(...Array.from({ length: 25 }, (_, index) => `model-${index}`))
  const { fields, sentence } = reloadedLine(many, [])
  expect(fields.models_gone).toHaveLength(10)
  expect(sentence).toContain('25 of 25 models')
})

test('a reload that keeps every model warns of nothing', () => {
  expect(reloadedLine(models('a'), models('b', 'a'))).toEqual({
    level: 'info',
    fields: { models_before: 1, models: 2 },
    sentence: 'the configuration was reloaded',
  })
})
