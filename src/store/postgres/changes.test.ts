import { expect, test } from 'bun:test'
import type { KeyId } from '../../core/id.ts'
import { createChanges } from './changes.ts'

test('a change that other processes cannot be told of is made all the same, and that is reported', async () => {
  const warnings: string[] = []
  const changes = await createChanges({
    announceTo: () => Promise.reject(new Error('the queue is full')),
    warn: (sentence) => warnings.push(sentence),
  })
  const heard: object[] = []
  changes.subscribe((change) => heard.push(change))
  const change = { key: 'key_1' as KeyId }
  await changes.announce(change)
  expect(heard).toEqual([change])
  expect(warnings).toEqual([expect.stringContaining('the queue is full')])
  await changes.close()
})
