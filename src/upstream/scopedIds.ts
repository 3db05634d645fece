import type { ChatRequest } from '../core/chat/request.ts'
import type { WorkspaceId } from '../core/id.ts'
import { isJsonObject } from '../core/json.ts'

/** The longest that a provider takes: OpenAI's `safety_identifier` and `prompt_cache_key`. */
export const SCOPED_ID_LENGTH_MAX = 64
/** Of 48 bits: two of a million workspaces share one by chance in one of 500 installations. */
const SCOPE_LENGTH = 8

/**
 * The request with the names that a caller gives to its users and its prompt caches made its workspace's own: all
 * workspaces share the operator's account at a provider, so one could get another's user blocked, or meet its cache.
 * A short hash of the workspace comes first; what would be too long for a provider is hashed.
 */
export function withScopedIds(request: ChatRequest, workspaceId: WorkspaceId): ChatRequest {
  const { user, promptCacheKey, extra } = request
  const { safety_identifier: identifier, metadata } = extra
  const metadataUser = isJsonObject(metadata) ? metadata.user_id : undefined
  const isNamed =
    user !== undefined ||
    promptCacheKey !== undefined ||
    typeof identifier === 'string' ||
    typeof metadataUser === 'string'
  if (!isNamed) return request
  const scope = hashOf(workspaceId).slice(0, SCOPE_LENGTH)
  return {
    ...request,
    ...(user !== undefined && { user: scoped(scope, user) }),
    ...(promptCacheKey !== undefined && { promptCacheKey: scoped(scope, promptCacheKey) }),
    extra: {
      ...extra,
      ...(typeof identifier === 'string' && { safety_identifier: scoped(scope, identifier) }),
      ...(isJsonObject(metadata) &&
        typeof metadataUser === 'string' && {
          metadata: { ...metadata, user_id: scoped(scope, metadataUser) },
        }),
    },
  }
}

function scoped(scope: string, id: string): string {
  const whole = `${scope}-${id}`
  return whole.length <= SCOPED_ID_LENGTH_MAX ? whole : `${scope}-${hashOf(id)}`
}

/** 43 characters. */
function hashOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('base64url')
}
