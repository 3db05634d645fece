/** The least that a piece of audio or a document counts. */
const MEDIA_TOKENS_MIN = 1_600
/** Gemini takes 32 tokens for a second of audio, which in the thinnest MP3 (8 kbit/s) is 1,333 characters of base64. */
const CHARACTERS_PER_TOKEN = 32

/** Tokens of a piece of audio, or roughly of a document, by the length of its base64. */
export function mediaTokens(characters: number): number {
  return Math.max(MEDIA_TOKENS_MIN, Math.ceil(characters / CHARACTERS_PER_TOKEN))
}
