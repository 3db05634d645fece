import type { ChatRequest } from '../core/chat/request.ts'
import { type AsFunctions, type CustomNames, asFunctions, refuseSharedNames } from '../wire/customTools.ts'
import { namingUnknown } from '../wire/unknownFields.ts'
import { type EncodedRequest, type NativeAnswers, UnsupportedField } from '../wire/wire.ts'
import { type Route, encodeTargetOf } from './route.ts'

/** A request in the words of its target. */
export interface Encoded {
  readonly encoded: EncodedRequest
  /** Where the caller's own words are sent: the answer comes back in the provider's. */
  readonly native?: NativeAnswers
  /** Calls of these functions are calls of the caller's custom tools. */
  readonly customNames?: CustomNames
}

/**
 * Encodes a request for a target: passed on as its caller wrote it where both speak the same format and nothing has to be
 * rewritten, else translated. Throws `UnsupportedField`.
 */
export function encodeFor(given: ChatRequest, route: Route): Encoded {
  const last = lastEncoded.get(given)
  if (last?.route === route) return last
  const encoded = { ...encode(given, route), route }
  lastEncoded.set(given, encoded)
  return encoded
}

/** Planning writes a request to see whether it can be said; mostly the call sends the very same. */
const lastEncoded = new WeakMap<ChatRequest, Encoded & { readonly route: Route }>()

function encode(given: ChatRequest, route: Route): Encoded {
  const functions = functionsFor(given, route)
  if (!functions) return encodeAs(given, route)
  refuseSharedNames(given.tools)
  return { ...encodeAs(functions.request, route, 'functions'), customNames: functions.names }
}

/** The request with functions in place of custom tools, for a route that takes none. Undefined: it is sent as it is. */
export function functionsFor(request: ChatRequest, { quirks, format }: Route): AsFunctions | undefined {
  return (quirks.customTools ?? format.customTools) ? undefined : asFunctions(request)
}

function encodeAs(request: ChatRequest, route: Route, tools?: 'functions'): Encoded {
  const { format } = route
  const { source } = request
  const target = encodeTargetOf(route, request)
  // A lane whose answers pass has the caller's own tools in its requests.
  const passesTools = tools === 'functions' && format.native?.answers !== undefined
  if (source?.format === format.id && format.native && !passesTools) {
    const encoded = format.native.encodeRequest(source, request, target)
    const { answers } = format.native
    if (encoded) return { encoded, ...(answers && { native: answers }) }
  }
  if (request.nativeOnly) throw new UnsupportedField(request.nativeOnly.param, request.nativeOnly.message)
  return { encoded: namingUnknown(request, format.client.encodeRequest(request, target)) }
}
