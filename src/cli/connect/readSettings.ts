import type { Agent } from './agent.ts'
import { readDocument, type SettingsFile } from './settingsFile.ts'
import { readToml } from './tomlFile.ts'

/**
 * @param text undefined: there is no file yet
 * @param place how messages name the file
 * Throws `CommandFailure` for a text that cannot be changed without loss.
 */
export function readSettings(format: Agent['format'], text: string | undefined, place: string): SettingsFile {
  return format === 'toml' ? readToml(text ?? '', place) : readDocument(format, text, place)
}
