import type { Migration } from './migration.ts'

/**
 * SQLite: one index on usage records instead of two. It has what reports add up and lists look for, so that they read
 * it alone, from the first page to the last; a key's records are found through its workspace. A call keeps up one tree
 * less. Takes some seconds for a million records. Postgres reads beside the gateway, and keeps its indexes.
 */
export const oneUsageIndex: Migration = {
  id: '0002-one-usage-index',
  statements: (engine) =>
    engine === 'postgres'
      ? []
      : [
          'drop index usage_by_key',
          'drop index usage_by_workspace',
          `create index usage_by_workspace on usage_records
            (workspace_id, started_at, key_id, model, prompt_tokens, completion_tokens, charge)`,
        ],
}
