import { dirname } from 'node:path'
import type { CommandContext } from '../commandContext.ts'
import type { CliDeps } from '../deps.ts'
import { CommandFailure } from '../usageError.ts'
import type { Agent, Setting } from './agent.ts'
import { apply, type Change, changesOf, keep, removeScaffolding, undoing } from './change.ts'
import { type Kept, keptPath, keptText, readKept } from './kept.ts'
import { readSettings } from './readSettings.ts'
import { pathText } from './settingsFile.ts'
import { changesText, changeView } from './show.ts'

/** What is to be written where. */
export interface Writing {
  readonly agent: Agent
  readonly file: string
  readonly settings: readonly Setting[]
  readonly start: string
}

/** Writes the settings of an agent into its file, and shows what changes before it does. Gives the exit code. */
export async function writeSettings(
  context: CommandContext,
  { agent, file, settings, start }: Writing,
): Promise<number> {
  const { deps } = context
  const text = deps.readFile(file)
  const content = readSettings(agent.format, text, file)
  const changes = changesOf(content, settings)
  const view = { agent: agent.id, file, start, changes: changes.map(changeView) }
  if (changes.length === 0) {
    context.show(view, () => `Nothing changes: ${file} has these settings. Start: ${start}\n`)
    return 0
  }
  const kept = keep(content, changes, {
    isNew: text === undefined,
    earlier: keptOf(deps, file),
    hash: deps.hash,
  })
  apply(content, changes)
  announce(context, file, changes)
  deps.createFolder(dirname(file))
  // Before the file itself: what is overwritten is never lost.
  await replace(deps, keptPath(file), keptText(kept))
  await replace(deps, file, content.text())
  context.show(
    view,
    () => `Written. Start: ${start}\n"tollgate connect ${agent.id} --undo" restores what was there.\n`,
  )
  return 0
}

/** Restores what the file of an agent had before; a file that was created is removed. Gives the exit code. */
export async function undoSettings(context: CommandContext, agent: Agent, file: string): Promise<number> {
  const { deps } = context
  const kept = keptOf(deps, file)
  if (kept === undefined)
    throw new CommandFailure(
      `nothing to undo: there is no ${keptPath(file)}, so --write has not changed ${file}`,
    )
  const text = deps.readFile(file)
  const content = readSettings(agent.format, text, file)
  const { changes: restored, left } = undoing(content, kept, deps.hash)
  apply(content, restored)
  const changes = [...restored, ...removeScaffolding(content, kept)]
  const removes = kept.created && content.size([]) === 0
  announce(context, file, changes)
  if (removes) deps.removeFile(file)
  else if (changes.length > 0) await replace(deps, file, content.text())
  deps.removeFile(keptPath(file))
  const names = left.map(pathText)
  const view = { agent: agent.id, file, removed: removes, changes: changes.map(changeView), left: names }
  context.show(view, () => {
    const what = removes ? `${file} is removed: --write had created it.\n` : 'Restored.\n'
    return names.length === 0
      ? what
      : `${what}Not restored, because it was changed since: ${names.join(', ')}.\n`
  })
  return 0
}

function keptOf(deps: CliDeps, file: string): Kept | undefined {
  const place = keptPath(file)
  const text = deps.readFile(place)
  return text === undefined ? undefined : readKept(text, place)
}

function announce(context: CommandContext, file: string, changes: readonly Change[]): void {
  if (!context.isOn('json') && changes.length > 0) context.io.out(`${file}\n${changesText(changes)}`)
}

async function replace(deps: CliDeps, path: string, text: string): Promise<void> {
  const file = deps.openFile(path)
  try {
    await file.write(text)
    await file.finish()
  } finally {
    await file.abandon()
  }
}
