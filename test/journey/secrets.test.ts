import { Glob } from 'bun'
import { expect, test } from 'bun:test'
import { dirname } from 'node:path'
import { answers, openaiError, streams } from '../support/scriptedProvider.ts'
import { rejectionOf } from '../support/rejection.ts'
import { type World, startWorld } from '../support/world.ts'

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
  const all = await filesOf(world)
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

test('a key that is sent in place of something else is neither repeated nor kept', async () => {
  await using world = await startWorld({ workspace: { requests_per_minute: 1_000 } })
  const { secret } = world
  const answers = [
    await world.chat({ model: secret }),
    await world.chat({ models: [secret] }),
    await world.chat({ provider: { only: [secret] } }),
    await world.chat({ provider: { order: [secret.toLowerCase()] } }),
    await world.chat({ [secret]: 1 }),
    await world.chat({ user: secret, metadata: { user_id: secret } }),
    await world.chat({ tool_choice: { type: 'function', function: { name: secret } }, tools: [] }),
    await world.chat({}, { 'idempotency-key': secret }),
    await world.chat({}, { 'idempotency-key': `order ${secret}` }),
    await world.request('GET', `/v1/models/${secret}`),
    await world.request('GET', `/v1/${secret}`),
    await world.request('GET', `/v1/generation?id=${secret}`),
    await fetch(`${world.url}/docs/${secret}`),
    await fetch(`${world.url}/${secret}`),
  ]
  for (const answer of answers) {
    const all = JSON.stringify([...answer.headers]) + (await answer.text())
    expect(all.toLowerCase()).not.toContain(secret.slice(0, 30).toLowerCase())
  }
  expect(answers.map(({ status }) => status)).toEqual([
    404, 404, 400, 400, 200, 200, 200, 400, 400, 404, 404, 404, 404, 404,
  ])
  await world.settled()
  expect(await filesOf(world)).not.toContain(secret.slice('tg_'.length))
})

test('nor is one that an operator sends as Idempotency-Key', async () => {
  await using world = await startWorld()
  const credit = world.operations.credit(
    world.workspaceId,
    { amount_usd: '1' },
    { idempotencyKey: world.secret },
  )
  expect(String(await rejectionOf(credit))).toContain('must not hold the secret of a key')
  expect(await filesOf(world)).not.toContain(world.secret.slice('tg_'.length))
})

/** What is in all files of the database. */
async function filesOf({ databaseUrl }: World): Promise<string> {
  const files = [...new Glob('**').scanSync(folderOf(databaseUrl))]
  expect(files).toContain('tollgate.db')
  let all = ''
  for (const file of files) {
    all += Buffer.from(await Bun.file(`${folderOf(databaseUrl)}/${file}`).bytes()).toString('latin1')
  }
  return all
}

function folderOf(databaseUrl: string): string {
  return dirname(databaseUrl.slice('sqlite:'.length))
}
