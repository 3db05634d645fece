import { ERRORS, type Refusal } from '../../../../src/core/error.ts'
import type { JsonObject } from '../../../../src/core/json.ts'

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors */
const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'AccessDeniedException',
  402: 'ServiceQuotaExceededException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  405: 'ResourceNotFoundException',
  409: 'ConflictException',
  413: 'ValidationException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  502: 'ModelErrorException',
  503: 'ServiceUnavailableException',
}

/** The body of an error; the official clients read its kind from `__type` when the header is missing. */
export function encodeError(refusal: Refusal): JsonObject {
  const { status } = ERRORS[refusal.code]
  const exception = EXCEPTIONS[status]
  if (exception === undefined) throw new Error(`Bedrock has no exception for status ${status}`)
  return { __type: exception, message: refusal.message }
}
