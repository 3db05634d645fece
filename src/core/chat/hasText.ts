import type { Delta } from './event.ts'

/** Whether a delta brings anything generated: text, reasoning, a refusal or a piece of a tool call. */
export function hasText({ content, reasoning_content: thought, refusal, tool_calls: calls }: Delta): boolean {
  return Boolean(content) || Boolean(thought) || Boolean(refusal) || (calls?.length ?? 0) > 0
}
