import { expect, test } from 'bun:test'
import { ENCODINGS, leaksIn } from '../../test/support/privateWords.ts'
import { openaiError, startScriptedProvider } from '../../test/support/scriptedProvider.ts'
import { settingsOf, standardModel } from '../../test/support/world.ts'
import { createPlatform } from '../platform.ts'
import { testProviders } from './testProviders.ts'

const SECRETS = {
  key: 'zq7-Marmalade/Key+of=the,house',
  header: 'Velvet&"Otter" 9/11',
  query: '2031&kettle=yes',
}

test('the operator is told what the provider said, without a configured secret in any encoding', async () => {
  const echoes = Object.values(ENCODINGS).map((encode) => Object.values(SECRETS).map(encode).join(' '))
  await using provider = await startScriptedProvider((_, ordinal) =>
    openaiError(400, { message: `no fig tree: ${echoes[ordinal] ?? ''}` }),
  )
  const acme = {
    wire: 'openai-chat',
    base_url: provider.baseUrl,
    api_key: SECRETS.key,
    headers: { 'x-door': SECRETS.header },
    api_version: SECRETS.query,
  }
  const settings = settingsOf({ providers: { acme }, models: [standardModel()] }, 'sqlite::memory:')
  for (const _ of echoes) {
    for await (const { ok, detail = '' } of testProviders(settings, createPlatform())) {
      expect(ok).toBe(false)
      expect(detail).toContain('bad_request: scripted_error: no fig tree')
      expect(leaksIn(detail, SECRETS)).toEqual([])
    }
  }
  expect(provider.requests).toHaveLength(echoes.length)
})
