import { ZERO } from '../core/money.ts'
import type { Workspace } from '../core/ports/directory.ts'
import { decodeInput, decodeQuery } from './decode.ts'
import type { OperationDeps } from './localOperations.ts'
import type { Operations } from './operations.ts'
import { listView, PageQuery, pageRequest } from './page.ts'
import { given } from './given.ts'
import { unknownId, workspaceIdOf } from './id.ts'
import { NewWorkspaceBody, WorkspaceChangeBody, workspaceView } from './workspace.ts'

type WorkspaceOperations = Pick<
  Operations,
  'createWorkspace' | 'workspaces' | 'workspace' | 'updateWorkspace'
>

export function workspaceOperations({ store, ids, clock }: OperationDeps): WorkspaceOperations {
  return {
    async createWorkspace(body) {
      const { name, type, requests_per_minute, models } = decodeInput(NewWorkspaceBody, body)
      const workspace: Workspace = {
        id: ids.workspace(),
        name,
        type,
        requestsPerMinute: requests_per_minute ?? null,
        models: models ?? null,
        balance: ZERO,
        held: ZERO,
        createdAt: clock(),
      }
      const { balance: _balance, held: _held, ...row } = workspace
      await store.directory.createWorkspace(row)
      return workspaceView(workspace)
    },

    async workspaces(query) {
      const page = pageRequest(decodeQuery(PageQuery, query))
      return listView(await store.directory.workspaces(page), workspaceView)
    },

    async workspace(id) {
      const workspace = await store.directory.workspace(workspaceIdOf(id))
      if (!workspace) throw unknownId('workspace', id)
      return workspaceView(workspace)
    },

    async updateWorkspace(id, body) {
      const input = decodeInput(WorkspaceChangeBody, body)
      const change = given({
        name: input.name,
        type: input.type,
        requestsPerMinute: input.requests_per_minute,
        models: input.models,
      })
      const workspace = await store.directory.updateWorkspace(workspaceIdOf(id), change)
      if (!workspace) throw unknownId('workspace', id)
      return workspaceView(workspace)
    },
  }
}
