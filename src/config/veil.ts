const VEIL = 0xe000
const VEILED = /[\ue020-\ue07e]/g

/**
 * Hides references to the environment from YAML: inside a flow mapping (`{ api_key: ${KEY} }`) it would
 * take their braces for its own. Each character is moved into the private use area; places stay the same.
 */
export function veil(text: string): string {
  return text.replaceAll(/\$?\$\{[\x20-\x7c~]*?\}/g, (reference) =>
    reference.replaceAll(/[\x20-\x7e]/g, (char) => String.fromCharCode(VEIL + char.charCodeAt(0))),
  )
}

/** Brings hidden references back. */
export function unveil(text: string): string {
  return text.replaceAll(VEILED, (char) => String.fromCharCode(char.charCodeAt(0) - VEIL))
}
