import { type Shape, plainFields as fields } from '../../inside.ts'

// The answers of Messages as @anthropic-ai/sdk 1.11.0 declares them (`resources/beta/messages/messages.d.ts`).

const CITATION: Shape = fields(`
  type cited_text document_index document_title file_id start_char_index end_char_index start_page_number end_page_number
  start_block_index end_block_index url title encrypted_index source search_result_index`)

/** `content`: results of tools. */
const BLOCK: Shape = {
  ...fields(`
    type text thinking signature data id name input caller content tool_use_id is_error server_name encrypted_content
    file_id from to`),
  citations: CITATION,
}

const STOP_DETAILS: Shape = fields('type category explanation recommended_model fallback_credit_token')
const CONTAINER: Shape = fields('id expires_at skills')
const CONTEXT: Shape = {
  applied_edits: fields('type cleared_input_tokens cleared_tool_uses cleared_thinking_turns'),
}

const COUNTS = {
  ...fields('input_tokens output_tokens cache_read_input_tokens cache_creation_input_tokens'),
  cache_creation: fields('ephemeral_5m_input_tokens ephemeral_1h_input_tokens'),
  output_tokens_details: fields('thinking_tokens'),
}

const USAGE: Shape = {
  ...COUNTS,
  ...fields('service_tier inference_geo speed fallback_credit'),
  server_tool_use: fields('web_search_requests web_fetch_requests'),
  iterations: { ...COUNTS, ...fields('type model') },
}

export const MESSAGE: Shape = {
  ...fields('id type role model stop_reason stop_sequence diagnostics input_transformations'),
  content: BLOCK,
  stop_details: STOP_DETAILS,
  container: CONTAINER,
  context_management: CONTEXT,
  usage: USAGE,
}

/** What `message_delta` says of the end. */
export const END: Shape = {
  ...fields('stop_reason stop_sequence'),
  stop_details: STOP_DETAILS,
  container: CONTAINER,
}

/** An event of a stream. */
export const EVENT: Shape = {
  ...fields('type index input_transformations'),
  message: MESSAGE,
  content_block: BLOCK,
  delta: {
    ...fields('type text partial_json thinking signature estimated_tokens content encrypted_content'),
    ...END,
    citation: CITATION,
  },
  usage: USAGE,
  context_management: CONTEXT,
}
