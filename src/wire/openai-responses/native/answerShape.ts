import { type Shape, plainFields } from '../../inside.ts'

// The answers of Responses as openai 6.49.0 declares them (`resources/responses/responses.d.ts`), and what OpenAI sends beside.

const CITATION: Shape = plainFields(
  'type url title start_index end_index file_id filename container_id index',
)

const LOGPROB: Shape = {
  ...plainFields('token logprob bytes'),
  top_logprobs: plainFields('token logprob bytes'),
}

const PART: Shape = {
  ...plainFields('type text refusal'),
  annotations: CITATION,
  logprobs: LOGPROB,
}

/** An item of any kind. What the model or the caller wrote, and the results of tools, are plain. */
const ITEM: Shape = {
  ...plainFields(`
    type id status role phase call_id name arguments input namespace caller created_by encrypted_content
    output outputs result results queries action actions code container_id environment operation max_output_length
    pending_safety_checks acknowledged_safety_checks fingerprint execution server_label tools approval_request_id approve reason error
    background output_format quality size revised_prompt`),
  content: PART,
  summary: PART,
}

const USAGE: Shape = {
  ...plainFields('input_tokens output_tokens total_tokens'),
  input_tokens_details: plainFields('cached_tokens cache_write_tokens'),
  output_tokens_details: plainFields('reasoning_tokens'),
}

export const RESPONSE: Shape = {
  ...plainFields(`
    id object created_at completed_at status model output_text background conversation instructions max_output_tokens max_tool_calls
    metadata moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention
    safety_identifier service_tier store temperature top_p top_logprobs frequency_penalty presence_penalty tool_choice tools
    truncation user`),
  output: ITEM,
  error: plainFields('type code message param'),
  incomplete_details: plainFields('reason'),
  prompt_cache_options: plainFields('mode ttl'),
  reasoning: plainFields('effort summary generate_summary context mode'),
  text: plainFields('format verbosity'),
  usage: USAGE,
}

/** An event of a stream. */
export const EVENT: Shape = {
  ...plainFields(`
    type sequence_number item_id output_index content_index summary_index annotation_index command_index delta text refusal arguments
    input code name command output status obfuscation partial_image_b64 partial_image_index`),
  logprobs: LOGPROB,
  annotation: CITATION,
  part: PART,
  item: ITEM,
  response: RESPONSE,
}
