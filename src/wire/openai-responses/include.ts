/** Values of `include` that are understood. The first is always asked for where a model reasons. */
export const ENCRYPTED_REASONING = 'reasoning.encrypted_content'
export const LOGPROBS = 'message.output_text.logprobs'
