import { expect, test } from 'bun:test'
import { logLines } from './logLines.ts'
import { differences, readPage } from './page.ts'
import { sourceFiles } from './source.ts'

const FILES = ['gateway/**/*.ts', 'observe/**/*.ts', 'serve/**/*.ts', 'store/**/*.ts'].flatMap(sourceFiles)

/** Calls whose message is made elsewhere, and the messages that they write, by level. */
const MADE_ELSEWHERE: Readonly<Record<string, readonly (readonly [message: string, level: string])[]>> = {
  // The store's own sentences are found where it warns.
  'gateway/parts.ts: sentence': [],
  'observe/errorLog.ts: sentence: string': [],
  'observe/errorLog.ts: sentence': [],
  'observe/pipelineEvents.ts: sentence': [],
  'observe/pipelineEvents.ts: ofRoute': [
    [
      'a request alone exceeds a limit of the account with a provider, and no wait helps: raise the limit there, or add a target with a higher one',
      'warn',
    ],
    [
      'a provider does not have the model of a target, or its address is wrong: check the upstream model and base_url',
      'warn',
    ],
  ],
  'observe/pipelineEvents.ts: ofMachine': [
    [
      'the gateway may open no more connections: raise the limit of its files (ulimit -n, or LimitNOFILE of systemd), and look for callers with many idle connections (docs/troubleshooting.md)',
      'error',
    ],
    [
      'no local port is free for a further connection to the address of a provider: widen net.ipv4.ip_local_port_range (docs/troubleshooting.md)',
      'error',
    ],
  ],
  'serve/serve.ts: formatProblems(loaded.warnings)': [['the warnings of the configuration', 'warn']],
  'serve/serve.ts: formatProblems(next.warnings)': [['the warnings of the configuration', 'warn']],
  'serve/serve.ts: sentence': [
    ['the configuration was reloaded', 'info'],
    ['the configuration was reloaded; … of … models are gone', 'warn'],
  ],
  'store/postgres/openPostgresStore.ts: againSentence(again)': [
    ['of the last settlements some are not in the database, …', 'warn'],
  ],
}

test('docs/monitoring.md lists every line of the log with its level', () => {
  const lines = new Map<string, string>()
  const unknown: string[] = []
  for (const { level, message, expression, path } of logLines(FILES)) {
    if (message !== undefined) lines.set(message, level)
    else {
      const made = MADE_ELSEWHERE[`${path}: ${expression}`]
      if (!made)
        unknown.push(`src/${path} logs "${expression}": name its messages in test/documents/log.test.ts`)
      for (const [text, itsLevel] of made ?? []) lines.set(text, itsLevel)
    }
  }
  expect(unknown).toEqual([])
  const facts = Array.from(lines, ([message, level]) => ({ key: [message], cells: [level] }))
  expect(differences(readPage('docs/monitoring.md'), 'Lines', facts)).toEqual([])
})
