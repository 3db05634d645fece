import { Glob } from 'bun'
import { expect, test } from 'bun:test'
import { dirname } from 'node:path'
import { answers, openaiError, streams } from '../support/scriptedProvider.ts'
import { startWorld } from '../support/world.ts'

test('the files of the database hold no key and no secret of a provider, whatever was done with them', async () => {
  await using world = await startWorld()
  const rotated = await world.operations.rotateKey(world.keyId, { overlap_seconds: 60 })
  const revoked = await world.operations.createKey(world.workspaceId, { name: 'revoked' })
  await world.operations.revokeKey(revoked.id)
  const retry = { 'idempotency-key': 'order-1' }
  for (const act of [answers({ pieces: ['Hello'] }), streams('Hello'), openaiError(401)]) {
    world.provider.play(act)
    await (await world.chat({ max_tokens: 20 }, retry)).text()
    await (await world.chat({ stream: true }, { authorization: `Bearer ${rotated.key}` })).text()
    await (await world.chat({}, { authorization: `Bearer ${revoked.key}` })).text()
  }
  await world.settled()

  const files = [...new Glob('**').scanSync(folderOf(world.databaseUrl))]
  expect(files).toContain('tollgate.db')
  let all = ''
  for (const file of files) {
    all += Buffer.from(await Bun.file(`${folderOf(world.databaseUrl)}/${file}`).bytes()).toString('latin1')
  }
  // What is looked for would be found: the ids of the keys are there.
  expect(all).toContain(world.keyId)
  for (const secret of [world.secret, rotated.key, revoked.key]) {
    expect(all).not.toContain(secret.slice('tg_'.length))
    // What is shown of a key to tell it from others is far too little to use it.
    expect(all).not.toContain(secret.slice(0, 12))
    expect(all).not.toContain(Buffer.from(secret).toString('base64').slice(0, 40))
  }
  expect(all).not.toContain('provider-secret')
})

function folderOf(databaseUrl: string): string {
  return dirname(databaseUrl.slice('sqlite:'.length))
}
