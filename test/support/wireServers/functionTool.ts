import type { Json } from '../../../src/core/json.ts'
import type { FunctionDefinition } from '../../../src/wire/functionTool.ts'
import {
  optionalObject,
  optionalString,
  present,
  requireObject,
  requireString,
} from '../../../src/wire/requestReader.ts'

/** Reads the function of a tool in OpenAI's shape, but for `strict`, which each format says in its own way. */
export function decodeFunction(value: Json | undefined, param: string): FunctionDefinition {
  const { name, description, parameters } = requireObject(value, param)
  return {
    name: requireString(name, `${param}.name`),
    ...present({
      description: optionalString(description, `${param}.description`),
      parameters: optionalObject(parameters, `${param}.parameters`),
    }),
  }
}
