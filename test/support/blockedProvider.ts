// What tests of the admin API and the command line share: a provider of which something is blocked.
import type { BlockState } from '../../src/operations/block.ts'
import type { OperationDeps } from '../../src/operations/deps.ts'
import { providerView } from '../../src/operations/provider.ts'

export interface BlockedProvider {
  /** What is blocked now. */
  blocks: BlockState[]
  readonly deps: Required<Pick<OperationDeps, 'providersHealth' | 'blocked'>>
}

/** The provider `acme` with the target `chat-1` and one key. */
export function createBlockedProvider(): BlockedProvider {
  const acme: BlockedProvider = {
    blocks: [],
    deps: {
      providersHealth: () => [
        providerView({
          id: 'acme',
          displayName: 'Acme',
          wire: 'openai-chat',
          baseUrl: 'http://127.0.0.1:9000/v1',
          credentials: ['acme#1'],
          targets: [
            {
              upstreamModel: 'chat-1',
              circuit: 'open_for_some',
              retryAt: undefined,
              requests: 7,
              failures: 5,
              openCalls: 0,
              recent: { calls: 7, failures: 5 },
              firstEventMs: undefined,
              lastError: undefined,
            },
          ],
          blocks: acme.blocks,
        }),
      ],
      blocked({ upstreamModel, workspaceId }) {
        const blocks = acme.blocks.filter(
          (block) =>
            (upstreamModel === undefined || block.upstreamModel === upstreamModel) &&
            (workspaceId === undefined || block.scope === workspaceId),
        )
        return {
          blocks,
          lift: () => void (acme.blocks = acme.blocks.filter((each) => !blocks.includes(each))),
        }
      },
    },
  }
  return acme
}

/** A circuit that is open for a workspace, or for `everyone`. */
export function openCircuit(scope: string, until: number): BlockState {
  return {
    what: 'circuit',
    upstreamModel: 'chat-1',
    credential: undefined,
    scope,
    reason: 'server',
    until,
    firm: true,
  }
}

/** The key, parked for everyone. */
export function parkedKey(until: number): BlockState {
  return {
    what: 'credential',
    upstreamModel: undefined,
    credential: 'acme#1',
    scope: 'everyone',
    reason: 'credential',
    until,
    firm: true,
  }
}
