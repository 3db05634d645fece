import type { Workspace } from '../core/ports/directory.ts'
import { decodeInput, decodeQuery } from './decode.ts'
import type { OperationDeps } from './deps.ts'
import type { Operations } from './operations.ts'
import type { Act } from './act.ts'
import { checkModels } from './knownModels.ts'
import { onceOf, repeatedAnswer } from './once.ts'
import { PageQuery, pageRequest, readList } from './page.ts'
import { recording } from './recording.ts'
import { given } from './given.ts'
import { unknownId, workspaceIdOf } from './id.ts'
import { NewWorkspaceBody, WorkspaceChangeBody, type WorkspaceView, workspaceView } from './workspace.ts'

type WorkspaceOperations = Pick<
  Operations,
  'createWorkspace' | 'workspaces' | 'workspace' | 'updateWorkspace'
>

/** What an operator decides of a workspace: credits have entries of their own. */
function settingsOf(workspace: Workspace): object {
  const { balance_usd: _balance, held_usd: _held, ...settings } = workspaceView(workspace)
  return settings
}

export function workspaceOperations(deps: OperationDeps): WorkspaceOperations {
  const { store, ids, clock, models } = deps

  function recorded(act: Act, action: 'workspace.create' | 'workspace.update') {
    return recording<Workspace>(act, deps, (after, before) => ({
      action,
      workspaceId: after.id,
      subject: after.id,
      before: before && settingsOf(before),
      after: settingsOf(after),
    }))
  }

  return {
    async createWorkspace(body, act = {}) {
      const input = decodeInput(NewWorkspaceBody, body)
      checkModels(input.models, [], models)
      const id = ids.workspace()
      const once = onceOf<Workspace>(
        { kind: 'create_workspace', input, subject: id, holdsSecret: false, viewOf: workspaceView },
        act,
        deps,
      )
      const { record, done } = recorded(act, 'workspace.create')
      const verdict = await store.directory.createWorkspace(
        {
          id,
          name: input.name,
          type: input.type,
          requestsPerMinute: input.requests_per_minute ?? null,
          models: input.models ?? null,
          keepResponses: input.keep_responses ?? true,
          createdAt: clock(),
        },
        once,
        record,
      )
      if (verdict.kind !== 'made') return repeatedAnswer(verdict, undefined, act) as WorkspaceView
      done()
      return workspaceView(verdict.made)
    },

    async workspaces(query) {
      const page = pageRequest(decodeQuery(PageQuery, query))
      return readList(store.directory.workspaces(page), workspaceView)
    },

    async workspace(id) {
      const workspace = await store.directory.workspace(workspaceIdOf(id))
      if (!workspace) throw unknownId('workspace', id)
      return workspaceView(workspace)
    },

    async updateWorkspace(id, body, act = {}) {
      const input = decodeInput(WorkspaceChangeBody, body)
      const change = given({
        name: input.name,
        type: input.type,
        requestsPerMinute: input.requests_per_minute,
        models: input.models,
        keepResponses: input.keep_responses,
      })
      if (input.models) {
        const before = await store.directory.workspace(workspaceIdOf(id))
        if (before) checkModels(input.models, before.models, models)
      }
      const { record, done } = recorded(act, 'workspace.update')
      const workspace = await store.directory.updateWorkspace(workspaceIdOf(id), change, record)
      if (!workspace) throw unknownId('workspace', id)
      done()
      return workspaceView(workspace)
    },
  }
}
