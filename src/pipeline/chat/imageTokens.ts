import { Buffer } from 'node:buffer'
import { disableTypes, imageSize, types } from 'image-size'

/** What models read; the library knows many more, and none of them is worth its code here. */
const READ: ReadonlySet<string> = new Set(['gif', 'jpg', 'png', 'webp'])
disableTypes(types.filter((type) => !READ.has(type)))

/** Where the size of a picture is, at the latest: behind the largest preview that a camera puts in front of it. */
const HEAD_CHARACTERS_MAX = 256 * 1024
/** From so many pixels on a picture costs the most: Claude reads 1,600 tokens of 750 pixels each. */
const PIXELS_OF_MOST = 1_200_000
/** No picture costs less: a tile of Gemini, and three of OpenAI's least. */
const IMAGE_TOKENS_MIN = 258

/**
 * Prompt tokens of an image that no provider has counted: by its pixels, and the most where they are not known.
 *
 * @param base64 its content, where the request has it
 * @param most of the model, for one image
 */
export function imageTokensOf(base64: string | undefined, most: number): number {
  const pixels = base64 === undefined ? undefined : pixelsOf(base64)
  if (pixels === undefined) return most
  return Math.min(most, Math.max(IMAGE_TOKENS_MIN, Math.ceil((most * pixels) / PIXELS_OF_MOST)))
}

/** Undefined where the bytes do not say. */
function pixelsOf(base64: string): number | undefined {
  try {
    const { width, height } = imageSize(Buffer.from(base64.slice(0, HEAD_CHARACTERS_MAX), 'base64'))
    return width > 0 && height > 0 ? width * height : undefined
  } catch {
    // The library throws where it finds no picture, or half of one.
    return undefined
  }
}
