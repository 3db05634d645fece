/** Longer codes do not exist. */
const CODE_LENGTH_MAX = 64
const CODE = /^[A-Za-z0-9]+(?:[_.-][A-Za-z0-9]+)*$/
/** Mistral numbers its errors: `1500`. Three digits are the HTTP status again. */
const NUMBER = /^\d{4}$/
/** A word of a code: what stands between separators, or begins with a capital letter. */
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+(?:64)?|\d+/g

/**
 * The first of these values that is a provider's code for an error: `context_length_exceeded`,
 * `ThrottlingException`. A code is shown to operators, and a provider may put anything there, a prompt or
 * a key too. So one that is made of other words than `VOCABULARY` is left out.
 */
export function failureCode(...candidates: readonly unknown[]): string | undefined {
  for (const candidate of candidates) {
    const code = typeof candidate === 'number' ? String(candidate) : candidate
    if (typeof code === 'string' && isCode(code)) return code
  }
  return undefined
}

function isCode(text: string): boolean {
  if (text.length > CODE_LENGTH_MAX || !CODE.test(text)) return false
  if (NUMBER.test(text)) return true
  const words = text.match(WORDS) ?? []
  return words.length > 0 && words.every((word) => VOCABULARY.has(word.toLowerCase()))
}

/** The words of the errors that providers document, and of the servers that speak their formats. */
const VOCABULARY: ReadonlySet<string> = new Set(
  `above abort aborted access account action activated active ai allowed already and api argument array arguments
  assistant at audio auth authentication authorization authorized bad balance base64 batch below billing blocked body
  busy by cancelled canceled capacity card choice client closed code complete completion completions concurrency
  concurrent condition config configuration conflict connection consumer content context contract country credential
  credentials credit credits current daily data day deactivated deadline decimal default denied deployment deprecated device
  disabled does document download duplicate edit embedding empty enabled encoding engine enforced entity error errors
  exceed exceeded exception exhausted exist exists expired expression extra failed failure fault field file filter
  filtered flagged flex float for forbidden format found function functions funds gateway generation grant hard harmful has
  header hit hour id identifier image images implemented in inactive incomplete incorrect inference input inputs
  insufficient integer internal invalid ip is item json key large length limit limited linked loaded loading location
  long loss malformed many max maximum media message messages method min minimum minute missing mismatch mismatched model
  models moderation modified modules monthly more must name network no node not null number object of offline on
  operation opt option or organization out output outputs over overload overloaded page param parameter parameters parse
  parsing path payload payment per permission permissions plan policy precondition preconditions processable processing
  profile project prompt protocol provider queue quota range rate rates reached read ready reasoning recitation refusal
  refused region rejected request requests required reset resource response responsible restricted result retry role
  route safety schema security serialization server service session signature size slow soft spend spending stop stream
  streaming string subscription supported suspended syntax system tag temperature temporarily temporary tenant terminated
  territory text throttled throttling tier time timed timeout token tokens too tool tools top trial type unable unauthenticated
  unauthorized unavailable unexpected unimplemented unknown unprocessable unrecognized unsafe unsupported up
  update upgrade upstream url usage use used user validate validation value values vector version violated violation
  vision wait window with wrong zero down`.split(/\s+/),
)
