import { type FitId, hashText } from '../toolCallIds.ts'

const LENGTH = 9
const NATIVE = /^[a-zA-Z0-9]{9}$/

/** Mistral's tool call ids are nine letters and digits. */
export const mistralId: FitId = (id) => (NATIVE.test(id) ? id : hashText(id, LENGTH))
