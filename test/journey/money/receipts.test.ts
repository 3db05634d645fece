import { expect, test } from 'bun:test'
import { errorOf } from '../../support/readAnswer.ts'
import {
  answers,
  createGate,
  inOrder,
  inTurn,
  openaiError,
  openaiUsage,
  streams,
} from '../../support/scriptedProvider.ts'
import { standardModel, startWorld } from '../../support/world.ts'
import { cost, expectLinesExplainCharge, nanoOf, receiptOf } from './purse.ts'

test.each([{ max_tokens: 20 }, {}, { max_tokens: 20, stream: true }])(
  'the receipt of %j explains the charge: tokens × price, line by line, and every transfer',
  async (body) => {
    await using world = await startWorld()
    const response = await world.chat({ ...body, user: 'alice' })
    await response.text()
    await world.settled()
    const receipt = await receiptOf(world, response)
    expect(receipt).toMatchObject({
      id: response.headers.get('x-request-id'),
      workspace_id: world.workspaceId,
      key_id: world.keyId,
      model: 'acme/chat-1',
      requested_model: 'acme/chat-1',
      stream: 'stream' in body,
      status: 200,
      ending: 'completed',
      user: 'alice',
      usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21, source: 'reported' },
      lines: [
        { class: 'input', tokens: 9, unit_price_usd: '0.50', amount_usd: '0.0000045' },
        { class: 'output', tokens: 12, unit_price_usd: '1.50', amount_usd: '0.000018' },
      ],
      charge_usd: '0.0000225',
      writeoff_usd: '0.00',
    })
    expectLinesExplainCharge(receipt)
    const transfers = receipt.transfers.map(({ kind, amount_usd: amount }) => [kind, amount])
    expect(transfers).toEqual([
      ['hold', receipt.hold_usd],
      ['release', receipt.hold_usd],
      ['charge', receipt.charge_usd],
    ])
    expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual(['answered'])
    expect(receipt.timings.duration_ms).toBeGreaterThanOrEqual(receipt.timings.first_event_ms ?? -1)
  },
)

test('a charge is rounded once, half up, and the lines say the exact amounts', async () => {
  const tenths = { input: 0.0005, output: 0.0015, cached_input: 0.0001 }
  const usage = openaiUsage(3, 1, { prompt_tokens_details: { cached_tokens: 2 } })
  await using world = await startWorld({
    provider: answers({ pieces: ['Hi'], usage }),
    config: () => ({ models: [standardModel({ our_price: tenths })] }),
  })
  const response = await world.chat({ max_tokens: 5 })
  const receipt = await receiptOf(world, response)
  // 1 × 0.5 + 2 × 0.1 + 1 × 1.5 nano-dollars = 2.2
  expect(receipt.lines.map((line) => line.amount_usd)).toEqual([
    '0.0000000005',
    '0.0000000002',
    '0.0000000015',
  ])
  expect(receipt.charge_usd).toBe('0.000000002')
  expectLinesExplainCharge(receipt)
})

test('reasoning has a line of its own', async () => {
  const usage = openaiUsage(10, 100, { completion_tokens_details: { reasoning_tokens: 60 } })
  await using world = await startWorld({ provider: answers({ pieces: ['Hi'], usage }) })
  const response = await world.chat({ max_tokens: 200 })
  const receipt = await receiptOf(world, response)
  expect(receipt.lines.map((line) => [line.class, line.tokens])).toEqual([
    ['input', 10],
    ['output', 40],
    ['reasoning', 60],
  ])
  expectLinesExplainCharge(receipt)
})

test('the price is that of the moment the request started', async () => {
  const gate = createGate()
  const prices = [
    { input: 0.5, output: 1.5 },
    { input: 5, output: 15, valid_from: '2026-12-01' },
  ]
  await using world = await startWorld({
    provider: inOrder(gate, streams('Hello')),
    config: () => ({ models: [standardModel({ our_price: prices })] }),
  })
  world.clock.set('2026-11-30T23:59:59Z')
  const answer = world.chat({ max_tokens: 20 })
  await gate.reached
  world.clock.advance(2000)
  gate.open()
  expect((await receiptOf(world, await answer)).charge_usd).toBe(cost(9, 12))
  const later = await world.chat({ max_tokens: 20 })
  expect(nanoOf((await receiptOf(world, later)).charge_usd)).toBe(nanoOf(cost(90, 120)))
})

test('only the winning attempt is charged, and the receipt names them all', async () => {
  await using world = await startWorld({ provider: inTurn(openaiError(500), streams('Hello')) })
  const response = await world.chat({ max_tokens: 20 })
  expect(response.status).toBe(200)
  const receipt = await receiptOf(world, response)
  expect(receipt.attempts.map(({ outcome, status }) => [outcome, status])).toEqual([
    ['server', 500],
    ['answered', null],
  ])
  expect(receipt.charge_usd).toBe(cost(9, 12))
  expect((await world.ledger()).filter(({ kind }) => kind === 'charge')).toHaveLength(1)
})

test('a failed call has a receipt too: what was tried, and that it cost nothing', async () => {
  await using world = await startWorld({ provider: openaiError(401, { message: 'wrong key' }) })
  const response = await world.chat({ max_tokens: 20 })
  expect(response.status).toBe(502)
  const receipt = await receiptOf(world, response)
  expect(receipt).toMatchObject({ status: 502, charge_usd: '0.00', lines: [], provider: null })
  expect(receipt.attempts).toMatchObject([{ outcome: 'credential', status: 401 }])
  expect(JSON.stringify(receipt)).not.toContain('wrong key')
})

test("a receipt is for its workspace's eyes only", async () => {
  await using world = await startWorld()
  const response = await world.chat({ max_tokens: 20 })
  const id = response.headers.get('x-request-id')
  const other = await world.operations.createWorkspace({ name: 'other', type: 'personal' })
  const { key } = await world.operations.createKey(other.id, { name: 'other' })
  const path = `/v1/generation?id=${id}`
  const stranger = await world.request('GET', path, undefined, { authorization: `Bearer ${key}` })
  expect(stranger.status).toBe(404)
  const unknown = await world.request('GET', `/v1/generation?id=chatcmpl-${'0'.repeat(26)}`)
  expect((await errorOf(stranger)).code).toBe((await errorOf(unknown)).code)
})
