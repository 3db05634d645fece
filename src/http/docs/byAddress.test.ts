import { expect, test } from 'bun:test'
import { createByAddress } from './byAddress.ts'

function createPages() {
  let at = 0
  const writings: (string | undefined)[] = []
  const page = createByAddress(
    async (address) => {
      writings.push(address)
      return `at ${address}`
    },
    { hash: (text) => text, now: () => at },
  )
  return { page, writings, wait: (ms: number) => void (at += ms) }
}

test('a page is written once for each address, and has a tag of its own', async () => {
  const { page, writings } = createPages()
  for (const address of ['http://a', 'http://b', 'http://a', undefined, 'http://b', undefined])
    expect(await page(address)).toEqual({ text: `at ${address}`, etag: `"at ${address}"` })
  expect(writings).toEqual(['http://a', 'http://b', undefined])
})

test('readers who come at the same time wait for the same page', async () => {
  const { page, writings } = createPages()
  await Promise.all(Array.from({ length: 10 }, () => page('http://a')))
  expect(writings).toEqual(['http://a'])
})

test('a flood of addresses makes few writings, and takes no page from those who keep coming', async () => {
  const { page, writings, wait } = createPages()
  for (let i = 0; i < 10_000; i++) {
    wait(1)
    expect((await page('http://real')).text).toBe('at http://real')
    const { text } = await page(`http://${i}`)
    expect([`at http://${i}`, 'at undefined']).toContain(text)
  }
  // Ten seconds: one more each second.
  expect(writings.length).toBeLessThan(25)
  expect(writings.filter((address) => address === 'http://real')).toHaveLength(1)
})
