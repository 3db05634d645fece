// What the tests of plans share: a catalogue, a caller, and the plan or the refusal that a request gets.
import { textPrompt } from './chatSamples.ts'
import { resolveCatalog } from '../../src/catalog/catalog.ts'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { PromptSize } from '../../src/core/promptSize.ts'
import { ERRORS, type Refusal } from '../../src/core/error.ts'
import type { KeyId, WorkspaceId } from '../../src/core/id.ts'
import { nano } from '../../src/core/money.ts'
import { testModel, testRoute } from './testRoute.ts'
import { type Caller, limitsOf } from '../../src/pipeline/authenticate/caller.ts'
import { type Plan, type PlanVerdict, type Prompt, planRoutes } from '../../src/pipeline/plan/plan.ts'
import { chatIn } from '../../src/pipeline/chat/chat.ts'
import { createPlanCatalog } from '../../src/pipeline/plan/planCatalog.ts'
import { openAiChat } from '../../src/wire/openai-chat/openAiChat.ts'
import type { RoutesVerdict } from '../../src/pipeline/plan/preferences.ts'

export const NOON = Date.UTC(2026, 10, 21, 12)
/** $5 per million tokens. */
export const HIGH = { input: nano(5_000_000_000n), output: nano(5_000_000_000n) }

export const CHAT = testModel({ id: 'acme/chat', aliases: ['chat', 'chat-latest'] })
export const DEAR = testModel({ id: 'acme/dear', aliases: ['dear'], prices: [HIGH] })
export const OLD = testModel({ id: 'acme/old', deprecation: { at: NOON - 1 } })
export const GONE = testModel({ id: 'acme/gone', retirement: { at: NOON, successor: 'acme/chat' } })
export const LOST = testModel({ id: 'acme/lost', aliases: ['lost'], retirement: { at: NOON - 1 } })

/** `acme/chat` is served at `b` and `a`, `acme/dear` at `c` and `a`, every other model at `a`. */
const PLACES = new Map([
  [CHAT, ['b', 'a']],
  [DEAR, ['c', 'a']],
])
export const CATALOG = createPlanCatalog(
  resolveCatalog([CHAT, DEAR, OLD, GONE, LOST]),
  (model) => (PLACES.get(model) ?? ['a']).map((name) => testRoute({ name, model })),
  new Set(['a', 'b', 'c']),
)

/** A key that may use these models, of a workspace that may use those; absent: all. */
export function callerWith(models: { readonly key?: string[]; readonly workspace?: string[] } = {}): Caller {
  const id = 'ws_1' as WorkspaceId
  const found: Pick<Caller, 'key' | 'workspace'> = {
    workspace: {
      id,
      name: 'w',
      type: 'personal',
      requestsPerMinute: null,
      models: models.workspace ?? null,
      keepResponses: true,
    },
    key: {
      id: 'key_1' as KeyId,
      workspaceId: id,
      name: 'k',
      hint: 'tg_AB12…',
      requestsPerMinute: null,
      requestsPerDay: null,
      monthlySpend: null,
      concurrentRequests: null,
      models: models.key ?? null,
      expiresAt: null,
      revokedAt: null,
      createdAt: 0,
      replacedBy: null,
      countersId: 'key_1' as KeyId,
    },
  }
  return { ...found, limits: limitsOf(found) }
}

/** The prompt of a chat request; `size` stands for its own. */
export function promptOf(request: ChatRequest, size: PromptSize = textPrompt(1_000)): Prompt {
  return { ...chatIn(openAiChat).prompt(request), size }
}

function verdictOf(more: Partial<ChatRequest>, caller = callerWith(), at = NOON): PlanVerdict {
  const plain: ChatRequest = {
    model: CHAT.id,
    messages: [],
    n: 1,
    stream: false,
    includeUsage: false,
    extra: {},
  }
  const request = { ...plain, ...more }
  return planRoutes(request, promptOf(request), { caller, catalog: CATALOG, at })
}

export function planOf(...given: Parameters<typeof verdictOf>): Plan {
  const verdict = verdictOf(...given)
  if (!verdict.ok) throw new Error(verdict.refusal.message)
  return verdict.plan
}

/** `acme/chat at b`, in the order of the plan. */
export function routesOf(...given: Parameters<typeof verdictOf>): string[] {
  return planOf(...given).routes.map((route) => `${route.model.id} at ${route.provider.name}`)
}

export function refusalOf(...given: Parameters<typeof verdictOf>): Refusal & { status: number } {
  const verdict = verdictOf(...given)
  if (verdict.ok) throw new Error('not refused')
  return { ...verdict.refusal, status: ERRORS[verdict.refusal.code].status }
}

/** The names of the providers that preferences leave. */
export function providersLeft(verdict: RoutesVerdict): string[] {
  if (!verdict.ok) throw new Error(verdict.refusal.message)
  return verdict.routes.map(({ provider }) => provider.name)
}

export function refusedBy(verdict: RoutesVerdict): Refusal {
  if (verdict.ok) throw new Error('not refused')
  return verdict.refusal
}
