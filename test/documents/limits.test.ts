import { expect, test } from 'bun:test'
import { CHANGE_TIMEOUT_MS, CHANGES_MAX, READ_TIMEOUT_MS } from '../../src/cli/exchange.ts'
import { ASSUMED_OUTPUT_TOKENS } from '../../src/config/catalogModels.ts'
import { LARGEST_BODIES } from '../../src/config/resolveServer.ts'
import { responsesSchema, serverSchema } from '../../src/config/schema.ts'
import {
  LABEL_LENGTH_MAX,
  MAX_DURATION_MS,
  MAX_SIZE_BYTES,
  RETENTION_MAX_MS,
} from '../../src/config/values.ts'
import { LARGE_BODY_BYTES, SMALL_BODY_BYTES } from '../../src/core/bodyWeight.ts'
import { CALLER_JSON } from '../../src/core/jsonScan.ts'
import { CONCURRENCY_RETRY_MS, DEFAULT_REQUESTS_PER_MINUTE } from '../../src/core/limit.ts'
import { ITEM_ID_LENGTH_MAX } from '../../src/core/keptRoom.ts'
import { UNKNOWN_IMAGE_TOKENS } from '../../src/core/model.ts'
import { KEEP_REFUSED_TOKENS_MS } from '../../src/core/ports/audit.ts'
import { KEPT_RESPONSES_MAX } from '../../src/core/ports/keptResponses.ts'
import { CONNECTIONS } from '../../src/core/ports/store.ts'
import { REPEATED_LENGTH_MAX } from '../../src/core/printable.ts'
import { KEEP_REFUSED_MS, KEPT_PER_KEY } from '../../src/core/refusedCalls.ts'
import {
  CLOSE_LIMIT_MS,
  LAST_ATTEMPT_LIMIT_MS,
  LAST_WORDS_LIMIT_MS,
  STOPPED_LIMIT_MS,
} from '../../src/gateway/stop.ts'
import { ADMIN_BODY_BYTES_MAX } from '../../src/http/body.ts'
import {
  PIECES_UNWEIGHED,
  PIECE_BYTES_MIN,
  PROGRESS_BYTES_MIN,
  PROGRESS_EVERY_MS,
} from '../../src/http/bodyPieces.ts'
import { PREFLIGHT_SECONDS } from '../../src/http/cors.ts'
import { LIMIT_MAX as MODEL_PAGE_MAX } from '../../src/http/dataPlane/modelPage.ts'
import { MAX_AGE_SECONDS } from '../../src/http/public/endpoints.ts'
import { BODY_TIMEOUT_SECONDS, IDLE_TIMEOUT_SECONDS } from '../../src/http/server.ts'
import { EXPANSION_FREE_BYTES, EXPANSION_MAX, UNZIPPED_DEFICIT_MAX } from '../../src/http/unzip.ts'
import { SWEEP_MS } from '../../src/jobs/jobs.ts'
import { FORGIVEN_AFTER_MS, WRONG_TOKENS_MAX } from '../../src/operations/door/guessPace.ts'
import {
  ALLOWED_MODELS_MAX,
  LIMIT_MAX,
  NAME_LENGTH_MAX,
  NOTE_LENGTH_MAX,
} from '../../src/operations/field.ts'
import { OVERLAP_SECONDS_MAX } from '../../src/operations/key.ts'
import { SECRET_ANSWER_MS } from '../../src/operations/once.ts'
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '../../src/operations/page.ts'
import { LEASE_MS } from '../../src/pipeline/admit/admit.ts'
import { HELD_RETRY_AFTER_SECONDS } from '../../src/pipeline/admit/refusal.ts'
import { CREDENTIAL_LENGTH_MAX, KEY_CACHE_MS } from '../../src/pipeline/authenticate/authenticate.ts'
import { SMALL_BODIES_BYTES } from '../../src/pipeline/authenticate/bodyBudget.ts'
import { ATTEMPTS_MAX } from '../../src/pipeline/dispatch/dispatch.ts'
import { RETRY_AFTER_SECONDS_MAX } from '../../src/pipeline/dispatch/exhausted.ts'
import { REFERENCES_MAX } from '../../src/pipeline/responses/recall.ts'
import { WISH_FACTOR_MAX } from '../../src/pipeline/admit/holdSize.ts'
import {
  IDEMPOTENCY_KEY_LENGTH_MAX,
  KEEP_ANSWER_MS,
  KEPT_ANSWER_LENGTH_MAX,
  DUPLICATE_PATIENCE_MS,
} from '../../src/pipeline/admit/claim.ts'
import { TOKEN_COUNT_TIMEOUT_MS } from '../../src/pipeline/chat/tokenCount.ts'
import { CALLER_STALL_MS, KEEP_ALIVE_MS } from '../../src/pipeline/relay/relay.ts'
import { WAITING_CALLS_MAX } from '../../src/pipeline/refusalKeeper.ts'
import { SETTLEMENT_LIFE_MS, SETTLEMENT_PATIENCE_MS } from '../../src/pipeline/settle/settle.ts'
import { DEMO_BALANCE_USD } from '../../src/serve/firstStart.ts'
import { PATIENCE_MS, QUIET_MS } from '../../src/serve/reloader.ts'
import { IDLE_IN_TRANSACTION_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../../src/store/postgres/begin.ts'
import { CONNECT_TIMEOUT_MS } from '../../src/store/postgres/client.ts'
import { ROUND_TRIP_TIMEOUT_MS } from '../../src/store/postgres/pool.ts'
import { REMEMBERED_MS, SIZE_MAX } from '../../src/store/postgres/recentSettlements.ts'
import { REPORT_MS } from '../../src/store/postgres/reportTurns.ts'
import { BUSY_WAIT_MAX_MS } from '../../src/store/sqlite/connection.ts'
import { ROOM_MIN_BYTES } from '../../src/store/sqlite/health.ts'
import { RETRY_AFTER_MS_MAX, TRIES_PER_TARGET_MAX } from '../../src/upstream/afterFailure.ts'
import { LIMITED_WAIT_MS_MAX, PARALLEL_CALLS_MAX } from '../../src/upstream/parallelCalls.ts'
import { ANSWER_BYTES_MAX, ERROR_BODY_LIMITS } from '../../src/upstream/send.ts'
import {
  COMPLETE_SILENCE_MS,
  CONTENT_PATIENCE_MS,
  DRAIN_MS,
  FINISHED_SILENCE_MS,
  HELD_BACK_LENGTH_MAX,
} from '../../src/upstream/openEventStream.ts'
import { PATIENCE_MS as PATIENCE_MS_OF_PROVIDERS, TIMEOUT_DEFAULTS } from '../../src/providers/timeouts.ts'
import { WHOLE_OUTPUT_TOKENS_MAX } from '../../src/pipeline/admit/holdTerms.ts'
import { MAX_CONNECTIONS } from '../../src/upstream/http/client.ts'
import { ENDLESS_FACTOR, ENDLESS_TOKENS_MIN } from '../../src/pipeline/relay/meter.ts'
import { ANSWER_JSON, LOGPROBS_VALUES_MAX } from '../../src/core/json.ts'
import { SMALL_ANSWERS_BYTES, SMALL_ANSWER_BYTES, UNCOUNTED_BYTES } from '../../src/upstream/answerBudget.ts'
import { CHUNK_BYTES_MIN, CHUNK_DEFICIT_MAX } from '../../src/upstream/http/responseParser.ts'
import { DECODED_DEFICIT_MAX } from '../../src/upstream/http/decompress.ts'
import { OPEN_FIRST_MS, OPEN_MAX_MS } from '../../src/upstream/routing/circuit.ts'
import { LIMITED_EVERYONE_MAX_MS } from '../../src/upstream/routing/effect.ts'
import { WORKSPACES_REMEMBERED_MAX } from '../../src/upstream/routing/scope.ts'
import { STRIKES_TO_OPEN } from '../../src/upstream/routing/streak.ts'
import { CHOICES_MAX } from '../../src/wire/askedChoices.ts'
import {
  STOP_LENGTH_MAX,
  STOP_SEQUENCES_MAX,
  TOP_LOGPROBS_MAX,
  USER_LENGTH_MAX,
} from '../../src/wire/openai-chat/decodeRequest.ts'
import { ROUTING_NAMES_MAX } from '../../src/wire/openai-chat/decodeRouting.ts'
import { ANSWER_LENGTH_MAX } from '../../src/wire/frame.ts'
import { differences, readPage } from './page.ts'

const SERVER = serverSchema.parse({})

function count(value: number): string {
  return value.toLocaleString('en-US')
}

function bytes(value: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB']
  const power = units.findLastIndex((_, index) => value % 1024 ** index === 0)
  return `${value / 1024 ** power} ${units[power]}`
}

function seconds(value: number): string {
  return `${value} s`
}

function time(ms: number): string {
  const units: [string, number][] = [
    ['days', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
    ['ms', 1],
  ]
  const [unit = '', length = 1] =
    units.find(([name, size]) => ms % size === 0 && (name !== 'days' || ms > size)) ?? []
  return unit === 'ms' && ms > 1_000 ? `${ms / 1_000} s` : `${ms / length} ${unit}`
}

/** The value of each limit in the code, by the section of the page. */
const LIMITS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Requests: {
    'Bytes of a body under `/v1`': bytes(SERVER.max_body_bytes),
    'Bytes of a body of the admin API': bytes(ADMIN_BODY_BYTES_MAX),
    'Bytes of all bodies in memory': bytes(SERVER.max_body_bytes * LARGEST_BODIES.process),
    'Bytes of the bodies of one workspace in memory': bytes(SERVER.max_body_bytes * LARGEST_BODIES.workspace),
    'Bytes of the bodies of one key in memory': bytes(SERVER.max_body_bytes * LARGEST_BODIES.key),
    'Bytes of a small body': bytes(SMALL_BODY_BYTES),
    'Bytes of small bodies in memory, beside all others': bytes(SMALL_BODIES_BYTES),
    'Size from which a body counts twice in memory': bytes(LARGE_BODY_BYTES),
    'Levels of nesting in a body': count(CALLER_JSON.depthMax),
    'Values in a body': count(CALLER_JSON.valuesMax),
    'Digits of a number in a body': count(CALLER_JSON.digitsMax),
    'Time for a body': seconds(BODY_TIMEOUT_SECONDS),
    [`Bytes of a body that must arrive in each ${time(PROGRESS_EVERY_MS)}`]: bytes(PROGRESS_BYTES_MIN),
    [`Chunks of a body of less than ${PIECE_BYTES_MIN} bytes on average`]: count(PIECES_UNWEIGHED),
    'Bytes by which a body compressed with gzip may be larger than what it holds':
      bytes(UNZIPPED_DEFICIT_MAX),
    'Bytes that a body compressed with gzip may hold whatever its size': bytes(EXPANSION_FREE_BYTES),
    'Further bytes that it may hold for each of its own': count(EXPANSION_MAX),
    'Characters of an API key': count(CREDENTIAL_LENGTH_MAX),
    'Characters of `user`': count(USER_LENGTH_MAX),
    '`stop` sequences': count(STOP_SEQUENCES_MAX),
    'Characters of a `stop` sequence': count(STOP_LENGTH_MAX),
    '`top_logprobs`': count(TOP_LOGPROBS_MAX),
    'Choices (`n`)': count(CHOICES_MAX),
    'Names in `models` and in each list of `provider`': count(ROUTING_NAMES_MAX),
    'Characters of a request that an error message repeats': count(REPEATED_LENGTH_MAX),
    'Idle time of a connection between requests': seconds(IDLE_TIMEOUT_SECONDS),
    'Time for which a provider is asked for a count of tokens': time(TOKEN_COUNT_TIMEOUT_MS),
    'Models in a page of the list for clients of Anthropic': count(MODEL_PAGE_MAX),
    'Time for which a browser remembers a preflight': seconds(Number(PREFLIGHT_SECONDS)),
    'Time for which the public prices may be cached': seconds(MAX_AGE_SECONDS),
  },
  'Rate limits and keys': {
    'Requests per minute of a personal workspace': count(DEFAULT_REQUESTS_PER_MINUTE.personal),
    'Requests per minute of an organization': count(DEFAULT_REQUESTS_PER_MINUTE.organization),
    '`Retry-After` when too many calls of a key are open': time(CONCURRENCY_RETRY_MS),
    'Time for which a process remembers a key': time(KEY_CACHE_MS),
    'Largest limit of requests': count(LIMIT_MAX),
    'Overlap of two secrets in a rotation': time(OVERLAP_SECONDS_MAX * 1_000),
    'Wrong admin tokens from one address without a wait': count(WRONG_TOKENS_MAX),
    'Time after which one more token is checked': time(FORGIVEN_AFTER_MS),
  },
  Idempotency: {
    'Characters of an `Idempotency-Key`': count(IDEMPOTENCY_KEY_LENGTH_MAX),
    'Time for which a completion is kept for its key': time(KEEP_ANSWER_MS),
    'Characters of a completion that is kept': count(KEPT_ANSWER_LENGTH_MAX),
    'Time for which a repetition waits for the first call': time(DUPLICATE_PATIENCE_MS),
    'Time for which a new secret is kept for a repetition': time(SECRET_ANSWER_MS),
  },
  'The memory of Responses': {
    'Time for which a conversation is kept after its last use': time(responsesSchema.parse({}).keep),
    'Largest such time': time(RETENTION_MAX_MS),
    'Bytes of input and output that a workspace keeps': bytes(KEPT_RESPONSES_MAX.perWorkspace.bytes),
    'Answers that a workspace keeps': count(KEPT_RESPONSES_MAX.perWorkspace.answers),
    'Items that a workspace finds by their ids': count(KEPT_RESPONSES_MAX.perWorkspace.items),
    'Answers in a row that go on from each other': count(KEPT_RESPONSES_MAX.answersInChain),
    'Bytes of an answer that is kept, with its input': bytes(KEPT_RESPONSES_MAX.perAnswer.bytes),
    'Items with ids in an answer that is kept, with its input': count(KEPT_RESPONSES_MAX.perAnswer.items),
    'Kept items that a request refers to': count(REFERENCES_MAX),
    'Bytes of a request of one key with what it goes on from, and with an item in each place that refers to it':
      bytes(SERVER.max_body_bytes * LARGEST_BODIES.key),
    'Values of a request with what it goes on from or refers to': count(CALLER_JSON.valuesMax),
    'Characters of an id by which an item is found, visible ASCII only': count(ITEM_ID_LENGTH_MAX),
  },
  Money: {
    'Output tokens held without `max_tokens`': count(ASSUMED_OUTPUT_TOKENS),
    '`max_tokens` that is held in full, as a multiple of the usual output': count(WISH_FACTOR_MAX),
    'Prompt tokens of an image of an unknown model': count(UNKNOWN_IMAGE_TOKENS),
    '`Retry-After` when only the holds of other calls use up the balance': seconds(HELD_RETRY_AFTER_SECONDS),
    'Lease of a hold': time(LEASE_MS),
    'Time after which any process releases such a hold': time(LEASE_MS + SWEEP_MS),
    'Time for which a ready answer waits for its charge': time(SETTLEMENT_PATIENCE_MS),
    'Time for which a settlement is retried in the background': time(SETTLEMENT_LIFE_MS),
    'Balance of the demo key in US dollars': DEMO_BALANCE_USD,
  },
  Providers: {
    'Time to connect': time(TIMEOUT_DEFAULTS.connectMs),
    'Time until the first byte of a stream': time(TIMEOUT_DEFAULTS.firstByteMs),
    'Time until the first event of a stream': time(TIMEOUT_DEFAULTS.firstEventMs),
    'Silence in a stream': time(TIMEOUT_DEFAULTS.idleMs),
    'The three above, while a model may reason out of sight, or write a tool call that comes in one piece, and for a server on your own machine':
      time(PATIENCE_MS_OF_PROVIDERS),
    'Time without an event, though bytes arrive': time(TIMEOUT_DEFAULTS.quietMs),
    'Time for a whole answer': time(TIMEOUT_DEFAULTS.wholeMs),
    'Text of an answer beyond its output limit': `${ENDLESS_FACTOR} times the limit, and ${count(ENDLESS_TOKENS_MIN)} tokens`,
    'Time that parallel calls of a request which have begun wait for one that has not':
      time(CONTENT_PATIENCE_MS),
    'Output tokens up to which an answer is asked whole': count(WHOLE_OUTPUT_TOKENS_MAX),
    'Bytes of a whole answer': bytes(ANSWER_BYTES_MAX),
    'Values in a whole answer, or in an event of a stream': count(ANSWER_JSON.valuesMax),
    'Values in a whole answer with log probabilities, for each choice': count(LOGPROBS_VALUES_MAX),
    'Bytes of unfinished answers in memory': bytes(SERVER.answers_in_flight),
    'Bytes of a small answer': bytes(SMALL_ANSWER_BYTES),
    'Bytes of small answers in memory, beside all others': bytes(SMALL_ANSWERS_BYTES),
    'Bytes of an answer that do not count in memory': bytes(UNCOUNTED_BYTES),
    [`Bytes by which chunks in a row of an answer may bring less than ${CHUNK_BYTES_MIN} bytes each`]:
      bytes(CHUNK_DEFICIT_MAX),
    'Bytes by which a compressed answer may be larger than what it holds': bytes(DECODED_DEFICIT_MAX),
    'Time for a stream': time(TIMEOUT_DEFAULTS.totalMs),
    'Time without content after the first event of a stream, while it is held back':
      time(CONTENT_PATIENCE_MS),
    'Characters of the events of a stream without content, while it is held back':
      count(HELD_BACK_LENGTH_MAX),
    'Silence that ends a stream which has its finish reasons and its usage, but not its last event':
      time(COMPLETE_SILENCE_MS),
    'The same without usage': time(FINISHED_SILENCE_MS),
    'Time for the end of the body behind the last event': time(DRAIN_MS),
    'Characters of one event of a stream': count(ANSWER_LENGTH_MAX),
    'Time for the body of an error': time(ERROR_BODY_LIMITS.totalMs),
    'Attempts of a request': count(ATTEMPTS_MAX),
    'Calls of one request at the same time, where choices are made by parallel calls':
      count(PARALLEL_CALLS_MAX),
    "Wait for the provider's rate limit within such a request": time(LIMITED_WAIT_MS_MAX),
    'Attempts with the same key at the same target': count(TRIES_PER_TARGET_MAX),
    '`Retry-After` of a provider that the gateway waits for': time(RETRY_AFTER_MS_MAX),
    '`Retry-After` that a caller receives': time(RETRY_AFTER_SECONDS_MAX * 1_000),
    'Strikes in a row that open a circuit': count(STRIKES_TO_OPEN),
    'Time for which a circuit is open at first': time(OPEN_FIRST_MS),
    'Time for which a circuit is open at most': time(OPEN_MAX_MS),
    'Workspaces whose failures a target or a key remembers': count(WORKSPACES_REMEMBERED_MAX),
    'Time for which a rate limit that one workspace met applies to everyone': time(LIMITED_EVERYONE_MAX_MS),
    'Connections to providers': count(MAX_CONNECTIONS),
  },
  Streams: {
    'Silence before a keep-alive comment': time(KEEP_ALIVE_MS),
    'Time in which a caller of a stream reads nothing': time(CALLER_STALL_MS),
  },
  'Admin API and command line': {
    'Entries of a page': count(PAGE_LIMIT_DEFAULT),
    'Entries of a page at most': count(PAGE_LIMIT_MAX),
    'Characters of a name': count(NAME_LENGTH_MAX),
    'Characters of a note': count(NOTE_LENGTH_MAX),
    'Models in a list of allowed models': count(ALLOWED_MODELS_MAX),
    'Refused calls that are kept of a key': count(KEPT_PER_KEY),
    'Refused calls that wait to be stored, in a process': count(WAITING_CALLS_MAX),
    'Time for which refused calls are kept': time(KEEP_REFUSED_MS),
    'Time for which wrong admin tokens are in the audit log': time(KEEP_REFUSED_TOKENS_MS),
    'Time for which a reading command waits for a response (`--url`)': time(READ_TIMEOUT_MS),
    'Time for which a changing command waits for a response (`--url`)': time(CHANGE_TIMEOUT_MS),
    'Times that a command sends a change': count(CHANGES_MAX),
  },
  'Process and database': {
    'Time for calls in flight after SIGTERM': time(SERVER.drain),
    'Time after that until the process ends at the latest': time(
      STOPPED_LIMIT_MS + CLOSE_LIMIT_MS + LAST_ATTEMPT_LIMIT_MS + LAST_WORDS_LIMIT_MS,
    ),
    'Time for which a changed file must be quiet': time(QUIET_MS),
    'Time for which an unusable file is read again': time(PATIENCE_MS),
    'Longest duration in the configuration': time(MAX_DURATION_MS),
    'Largest size in the configuration': bytes(MAX_SIZE_BYTES),
    'Characters of a display name': count(LABEL_LENGTH_MAX),
    'Least free space of the disk (SQLite)': bytes(ROOM_MIN_BYTES),
    'Wait for another process (SQLite)': time(BUSY_WAIT_MAX_MS),
    'Connections of a process (Postgres)': count(CONNECTIONS.default),
    'Connections of a command (Postgres)': count(CONNECTIONS.brief),
    'Time to connect (Postgres)': time(CONNECT_TIMEOUT_MS),
    'Time of a statement (Postgres)': time(STATEMENT_TIMEOUT_MS),
    'Idle time within a transaction (Postgres)': time(IDLE_IN_TRANSACTION_TIMEOUT_MS),
    'Time of a round trip (Postgres)': time(ROUND_TRIP_TIMEOUT_MS),
    'Time of a report (Postgres)': time(REPORT_MS),
    'Settlements that survive a failover (Postgres)': count(SIZE_MAX),
    'Age of settlements that survive a failover (Postgres)': time(REMEMBERED_MS),
  },
}

test.each(Object.entries(LIMITS))('docs/limits.md has the limits of the code: %s', (section, limits) => {
  const facts = Object.entries(limits).map(([name, value]) => ({ key: [name], cells: [value] }))
  expect(differences(readPage('docs/limits.md'), section, facts)).toEqual([])
})
