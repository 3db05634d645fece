import { KNOWN_MODELS } from '../catalog/known.ts'
import { didYouMean } from '../core/didYouMean.ts'
import { quotedName } from './values.ts'

/** Says that a model lacks something, and that the catalogue might have known it under another id. */
export function missing(id: string): string {
  const guess = didYouMean(
    id,
    KNOWN_MODELS.map((model) => model.id),
  )
  return guess === '' ? 'is missing' : `is missing: the catalogue has no model ${quotedName(id)}${guess}`
}
