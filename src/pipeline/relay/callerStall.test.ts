import { describe, expect, test } from 'bun:test'
import { STALL_MS, watchCallerStall } from './callerStall.ts'

function watch() {
  const clock = { now: 0 }
  const stall = watchCallerStall(() => clock.now)
  return { stall, pass: (ms: number) => void (clock.now += ms) }
}

describe('a caller is to blame for a lost connection', () => {
  test('while it has not read for a while, and not before', () => {
    const { stall, pass } = watch()
    expect(stall.toBlame()).toBe(false)
    stall.pause()
    pass(STALL_MS - 1)
    expect(stall.toBlame()).toBe(false)
    pass(1)
    expect(stall.toBlame()).toBe(true)
  })

  test('when it reads on, until the provider has shown that it is still there', () => {
    const { stall, pass } = watch()
    stall.pause()
    pass(STALL_MS)
    stall.resume()
    expect(stall.toBlame()).toBe(true)
    pass(60_000)
    expect(stall.toBlame()).toBe(false)
  })

  test('however small the pieces are in which it takes what is left', () => {
    const { stall, pass } = watch()
    stall.pause()
    pass(STALL_MS)
    for (let i = 0; i < 100; i++) {
      stall.resume()
      pass(10)
      stall.pause()
      pass(1_000)
    }
    stall.resume()
    expect(stall.toBlame()).toBe(true)
  })

  test('but not because it reads slowly', () => {
    const { stall, pass } = watch()
    for (let i = 0; i < 100; i++) {
      stall.pause()
      pass(STALL_MS - 1)
      stall.resume()
      pass(1)
    }
    expect(stall.toBlame()).toBe(false)
  })

  test('and no more once the answer has flowed freely again', () => {
    const { stall, pass } = watch()
    stall.pause()
    pass(STALL_MS)
    stall.resume()
    pass(60_000)
    stall.pause()
    expect(stall.toBlame()).toBe(false)
  })
})
