import { expect, test } from 'bun:test'
import { scriptedCalls, textOf } from '../../../test/support/scriptedCalls.ts'
import { createGate, respond, stream } from '../../../test/support/scriptedProvider.ts'
import type { UpstreamError } from '../../core/failure.ts'
import type { HttpResponse } from '../http.ts'
import { MAX_IDLE_PER_ORIGIN } from './pool.ts'

const calls = scriptedCalls()

test('a thousand calls run at once, no answer goes astray, and only so many connections stay idle', async () => {
  const gate = createGate()
  const count = MAX_IDLE_PER_ORIGIN + 50
  await calls.play((request) => stream([gate, JSON.stringify(request.body)]))
  const answers = Array.from({ length: count }, (_, number) =>
    textOf(calls.post({ body: JSON.stringify({ number }) })),
  )
  await calls.provider.until(({ requests }) => requests.length === count)
  expect(calls.provider.connectionsOpen).toBe(count)
  gate.open()
  expect(await Promise.all(answers)).toEqual(answers.map((_, number) => `{"number":${number}}`))
  expect(calls.client.openConnections()).toEqual({ busy: 0, idle: MAX_IDLE_PER_ORIGIN })
  await calls.provider.connectionClosed(50)
})

test('a paused answer stops its sender, in bounded memory; resumed, it arrives whole', async () => {
  const total = 64 << 20
  await calls.play(stream(Array<string>(64).fill('x'.repeat(1 << 20))))
  const response = await calls.post()
  const { taken, over } = await pauseEarly(response)
  await standstill(() => calls.provider.bytesWritten)
  expect(calls.provider.bytesWritten).toBeLessThan(total)
  expect(taken()).toBeLessThan(4 << 20)
  response.resume()
  expect(await over).toBe('end')
  expect(taken()).toBe(total)
})

test('a paused answer that was sent whole before its connection ended is still whole', async () => {
  await calls.play(stream(['x'.repeat(100_000), 'y'.repeat(100_000)], { framing: 'until-close' }))
  const response = await calls.post()
  const { taken, over } = await pauseEarly(response)
  await calls.provider.connectionClosed()
  response.resume()
  expect(await over).toBe('end')
  expect(taken()).toBe(200_000)
})

test('an answer that nobody consumes yet stops its sender too', async () => {
  await calls.play(respond({ body: 'x'.repeat(64 << 20) }))
  const response = await calls.post()
  await standstill(() => calls.provider.bytesWritten)
  expect(calls.provider.bytesWritten).toBeLessThan(64 << 20)
  response.abort()
  await calls.provider.abortSeen()
})

/** A reader that pauses at the first bytes. */
async function pauseEarly(
  response: HttpResponse,
): Promise<{ taken: () => number; over: Promise<'end' | UpstreamError> }> {
  let taken = 0
  const begun = Promise.withResolvers<void>()
  const over = new Promise<'end' | UpstreamError>((resolve) =>
    response.consume({
      data(bytes) {
        if (taken === 0) response.pause()
        taken += bytes.length
        begun.resolve()
      },
      end: () => resolve('end'),
      fail: resolve,
    }),
  )
  await begun.promise
  return { taken: () => taken, over }
}

/** Resolves when a figure has not moved for a while. */
async function standstill(figure: () => number): Promise<void> {
  let before = -1
  while (figure() !== before) {
    before = figure()
    await Bun.sleep(100)
  }
}
