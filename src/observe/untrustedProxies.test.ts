import { expect, test } from 'bun:test'
import { createTestLog } from '../../test/support/testLog.ts'
import { createUntrustedProxies, NAMED_PROXIES_MAX } from './untrustedProxies.ts'

test('a proxy that is not trusted is named once, with the line of configuration that trusts it', () => {
  const { log, lines } = createTestLog()
  const forwards = createUntrustedProxies(log)
  for (const address of ['10.0.0.7', 'fd00::1', '10.0.0.7']) forwards(address)
  expect(lines()).toMatchObject([
    { address: '10.0.0.7', if_it_is_your_proxy: 'server: { trusted_proxies: ["10.0.0.7"] }' },
    { address: 'fd00::1', if_it_is_your_proxy: 'server: { trusted_proxies: ["fd00::1"] }' },
  ])
})

test('many addresses that claim to be proxies do not fill the log', () => {
  const { log, lines } = createTestLog()
  const forwards = createUntrustedProxies(log)
  for (let i = 0; i < 10 * NAMED_PROXIES_MAX; i++) forwards(`10.0.0.${i}`)
  expect(lines()).toHaveLength(NAMED_PROXIES_MAX)
})
