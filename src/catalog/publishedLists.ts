import { list, type Source } from './source.ts'

/** OpenAI's own model pages, as the package that counts tokens copies them. */
export const OPENAI_PAGES = 'gpt-tokenizer@4.0.0'
/** The package that prices come from. */
export const PRICE_PACKAGE = '@pydantic/genai-prices@0.1.8'

export const LISTED_CONTEXT: Source = list(PRICE_PACKAGE, 'the context length')

/** Limits that a client library of many providers has for each model. */
export const LISTED_LIMITS: Source = list('@earendil-works/pi-ai@0.74.2', 'context length and most output')
