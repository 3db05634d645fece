import { expect, test } from 'bun:test'
import { AGENTS } from '../../src/cli/connect/agents.ts'
import type { Protocol } from '../../src/cli/connect/agent.ts'
import { differences, readPage } from './page.ts'

const PAGE = readPage('docs/clients.md')
const FORMAT: Readonly<Record<Protocol, string>> = {
  messages: 'Messages',
  responses: 'Responses',
  chat: 'chat',
}

test('docs/clients.md has a row for each agent of tollgate connect, and its commands', () => {
  const facts = AGENTS.map(({ id, protocols, needsModel }) => ({
    key: [`\`${id}\``],
    cells: [
      protocols.map((protocol) => FORMAT[protocol]).join(', '),
      needsModel ? 'required' : 'optional',
      undefined,
      undefined,
    ],
  }))
  expect(differences(PAGE, 'Agents', facts)).toEqual([])
  for (const { id } of AGENTS) {
    expect(PAGE.text).toContain(
      `tollgate connect ${id} --model demo/chat --write\ntollgate connect ${id} --undo\n`,
    )
  }
})
