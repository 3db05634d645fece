import { GatewayError, refuse } from '../core/error.ts'
import { printableStart } from '../core/printable.ts'
import type { Act } from './act.ts'
import { blockViews } from './block.ts'
import { decodeInput } from './decode.ts'
import type { BlockFilter, OperationDeps } from './deps.ts'
import { SHOWN_LENGTH_MAX, unknownId, workspaceIdOf } from './id.ts'
import { onceOf, repeatedAnswer } from './once.ts'
import type { Operations } from './operations.ts'
import { recording } from './recording.ts'
import { ReleaseBody, type ReleaseView } from './release.ts'

type ProviderOperations = Pick<Operations, 'providers' | 'releaseProvider'>

/** How the providers fare in this process, and what an operator makes of it. */
export function providerOperations(deps: OperationDeps): ProviderOperations {
  const { store, blocked, providersHealth } = deps

  /** A filter that names nothing is a mistake: "nothing was blocked" would be a wrong answer to it. */
  async function filterOf(id: string, body: unknown): Promise<BlockFilter> {
    const { target, workspace_id: workspace } = decodeInput(ReleaseBody, body)
    const provider = (await providersHealth()).find((each) => each.id === id)
    if (!provider) throw unknownId('provider', id)
    const targets = provider.routes.map((route) => route.upstream_model)
    if (target !== undefined && !targets.includes(target)) throw unknownTarget(target, targets)
    const workspaceId = workspace === undefined ? undefined : workspaceIdOf(workspace)
    if (workspaceId !== undefined && !(await store.directory.workspace(workspaceId)))
      throw unknownId('workspace', workspaceId)
    return { provider: id, upstreamModel: target, workspaceId }
  }

  return {
    providers: async () => ({ data: await providersHealth(), next_cursor: null }),

    async releaseProvider(id, body, act: Act = {}) {
      if (!blocked) throw notRunning()
      const filter = await filterOf(id, body)
      const found = blocked(filter)
      const { blocks: released, blocks_not_shown: notShown } = blockViews(found.blocks)
      const view: ReleaseView = { provider: id, released, released_not_shown: notShown }
      const { record, done } = recording<ReleaseView>(act, deps, (after) => ({
        action: 'provider.release',
        workspaceId: filter.workspaceId ?? null,
        subject: id,
        before: { blocks: after.released },
        after: { blocks: [] },
      }))
      const once = onceOf<ReleaseView>(
        {
          kind: 'release_provider',
          input: [id, filter.upstreamModel ?? null, filter.workspaceId ?? null],
          subject: id,
          holdsSecret: false,
          viewOf: (made) => made,
        },
        act,
        deps,
      )
      const verdict = await store.audit.record(record(view, undefined), view, once)
      if (verdict.kind === 'made') {
        found.lift()
        done()
        return view
      }
      const answer = repeatedAnswer(verdict, undefined, act) as ReleaseView
      // The first time may have ended between its entry and the release.
      found.lift()
      return answer
    },
  }
}

function unknownTarget(target: string, targets: readonly string[]): GatewayError {
  const message = `target: the provider has no target "${printableStart(target, SHOWN_LENGTH_MAX)}" here; there are: ${targets.join(', ')}.`
  return new GatewayError(refuse('invalid_request', message, { param: 'target' }))
}

function notRunning(): GatewayError {
  const message =
    'What is blocked is in the memory of a running gateway, not in the database: ask the gateway itself.'
  return new GatewayError(refuse('service_unavailable', message))
}
