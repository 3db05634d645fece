import type { ResponseFormat } from '../../../../src/core/chat/request.ts'
import { type Json, type JsonObject, parseJson } from '../../../../src/core/json.ts'
import { SCHEMA_NAME } from '../../../../src/wire/responseFormat.ts'
import { readObject, readText } from '../../../../src/wire/read.ts'
import {
  optionalBoolean,
  optionalInteger,
  optionalList,
  optionalNumber,
  optionalObject,
  optionalStop,
  optionalString,
  present,
  readRequest,
  requireObject,
  requireString,
  requireTurns,
} from '../../../../src/wire/requestReader.ts'
import type { DecodedRequest } from '../../../../src/wire/wire.ts'
import { decodeTool, decodeToolChoice } from './tools.ts'
import { decodeMessage, decodeSystem } from './decodeMessages.ts'

/** Reads a Converse request with the two members of its path in the body: `modelId`, as in the SDKs, and `stream`. */
export function decodeRequest(body: Json): DecodedRequest {
  return readRequest(body, (fields) => {
    const stream = optionalBoolean(fields['stream'], 'stream') ?? false
    const config = optionalObject(fields['inferenceConfig'], 'inferenceConfig') ?? {}
    const toolConfig = optionalObject(fields['toolConfig'], 'toolConfig') ?? {}
    const outputConfig = optionalObject(fields['outputConfig'], 'outputConfig') ?? {}
    const messages = requireTurns(fields['messages'], 'messages')
    const tier = readText(readObject(fields['serviceTier'])?.['type'])
    return {
      model: requireString(fields['modelId'], 'modelId'),
      messages: [
        ...(optionalList(fields['system'], 'system') ?? []).map(decodeSystem),
        ...messages.flatMap((message, index) => decodeMessage(message, `messages[${index}]`)),
      ],
      n: 1,
      stream,
      includeUsage: stream,
      ...present({
        maxTokens: optionalInteger(config['maxTokens'], 'inferenceConfig.maxTokens', 1),
        temperature: optionalNumber(config['temperature'], 'inferenceConfig.temperature', 0, 1),
        topP: optionalNumber(config['topP'], 'inferenceConfig.topP', 0, 1),
        stop: optionalStop(config['stopSequences'], 'inferenceConfig.stopSequences'),
        tools: optionalList(toolConfig['tools'], 'toolConfig.tools')?.map((tool, index) =>
          decodeTool(tool, `toolConfig.tools[${index}]`),
        ),
        toolChoice: decodeToolChoice(optionalObject(toolConfig['toolChoice'], 'toolConfig.toolChoice')),
        responseFormat: decodeTextFormat(
          optionalObject(outputConfig['textFormat'], 'outputConfig.textFormat'),
        ),
        reasoningEffort: optionalString(outputConfig['effort'], 'outputConfig.effort'),
      }),
      extra: tier === undefined ? {} : { service_tier: tier },
    }
  })
}

function decodeTextFormat(format: JsonObject | undefined): ResponseFormat | undefined {
  if (format === undefined) return undefined
  const at = 'outputConfig.textFormat.structure.jsonSchema'
  const asked = requireObject(readObject(format['structure'])?.['jsonSchema'], at)
  const schema = parseJson(requireString(asked['schema'], `${at}.schema`))
  return {
    type: 'json_schema',
    json_schema: {
      name: optionalString(asked['name'], `${at}.name`) ?? SCHEMA_NAME,
      ...present({
        description: optionalString(asked['description'], `${at}.description`),
        schema: optionalObject(schema, `${at}.schema`),
      }),
    },
  }
}
