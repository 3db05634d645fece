import { unreachable } from '../core/assert.ts'
import { isJsonObject, parseJson } from '../core/json.ts'
import type { Credential } from '../providers/configured.ts'
import type { Provider } from '../providers/provider.ts'
import type { Auth } from '../wire/auth.ts'
import { besideFile } from './besideFile.ts'
import type { Environment } from './environment.ts'
import { fileMistake } from './fileMistake.ts'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import { secretOf, withoutLineEnd } from './secret.ts'
import type { ProviderEntry } from './schema.ts'

/** Where credentials are looked for that the file does not hold itself. */
export interface CredentialSources {
  readonly environment: Environment
  /** Undefined when there is no such file; throws when it cannot be read. */
  readonly readFile: (path: string) => string | undefined
  /** The configuration file; undefined when there is none. */
  readonly file: string | undefined
}

export interface ResolvedCredentials {
  readonly auth: Auth
  readonly credentials: readonly Credential[]
}

/** A provider of the configuration whose credentials are looked for. */
export interface CredentialOwner {
  readonly name: string
  readonly entry: ProviderEntry
  /** Undefined: a provider that Tollgate does not know. */
  readonly row: Provider | undefined
  /** Of the entry in the file. */
  readonly path: ConfigPath
}

/** The credentials of a provider: the file's, else those the environment holds under their usual names. */
export function resolveCredentials(
  owner: CredentialOwner,
  auth: Auth,
  sources: CredentialSources,
  report: Report,
): ResolvedCredentials {
  const { entry, row, path } = owner
  if (entry.api_key !== undefined && entry.api_keys !== undefined)
    report.problem([...path, 'api_keys'], 'cannot be used together with api_key: put all keys into api_keys')
  switch (auth.kind) {
    case 'none': {
      // A server that needs no key is given one when there is one: as a bearer token, unless `auth: none` is said.
      const credentials = entry.auth === undefined ? keysOf(owner, sources, report) : []
      return { auth: credentials.length > 0 ? { kind: 'bearer' } : auth, credentials }
    }
    case 'bearer':
    case 'header': {
      const credentials = keysOf(owner, sources, report)
      if (credentials.length === 0) {
        const variable = row?.keyVariable
        const hint = variable === undefined ? '' : `, and ${variable} is not set`
        report.problem([...path, 'api_key'], `is missing${hint}`)
      }
      return { auth, credentials }
    }
    case 'sigv4':
      return { auth, credentials: awsCredentials(owner, sources, report) }
    case 'google-oauth':
      return { auth, credentials: serviceAccount(owner, sources, report) }
    default:
      return unreachable(auth)
  }
}

/** The AWS region of the file, else of the environment. */
export function regionOf(entry: ProviderEntry, { environment }: CredentialSources): string | undefined {
  // An empty variable is an unset one.
  return entry.region ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || undefined)
}

function keysOf(
  { name, entry, row }: CredentialOwner,
  { environment }: CredentialSources,
  report: Report,
): Credential[] {
  return secretsOf(entry, row, environment, report).map((key, index) => ({
    kind: 'key',
    name: `${name}#${index + 1}`,
    key,
  }))
}

function secretsOf(
  entry: ProviderEntry,
  row: Provider | undefined,
  environment: Environment,
  report: Report,
): readonly string[] {
  if (entry.api_keys !== undefined) return entry.api_keys
  if (entry.api_key !== undefined) return [entry.api_key]
  const inherited =
    row?.keyVariable === undefined ? undefined : secretOf(row.keyVariable, environment, report)
  return inherited === undefined ? [] : [inherited]
}

function awsCredentials(owner: CredentialOwner, sources: CredentialSources, report: Report): Credential[] {
  const { name, entry, path } = owner
  const { environment } = sources
  const region = regionOf(entry, sources)
  const aws = entry.aws ?? (entry.api_key || entry.api_keys ? undefined : inheritedAws(environment, report))
  const keys = entry.aws === undefined ? keysOf(owner, sources, report) : []
  if (keys.length > 0) return keys
  if (aws === undefined) {
    report.problem(path, 'needs `api_key` (a Bedrock API key) or `aws` credentials')
    return []
  }
  if (region === undefined) {
    report.problem([...path, 'region'], 'is missing: AWS signatures need it')
    return []
  }
  return [
    {
      kind: 'aws',
      name: `${name}#1`,
      accessKeyId: aws.access_key_id,
      secretAccessKey: aws.secret_access_key,
      ...(aws.session_token === undefined ? {} : { sessionToken: aws.session_token }),
      region,
    },
  ]
}

function inheritedAws(environment: Environment, report: Report): ProviderEntry['aws'] {
  if (!environment.AWS_ACCESS_KEY_ID || !environment.AWS_SECRET_ACCESS_KEY) return undefined
  return {
    access_key_id: secretOf('AWS_ACCESS_KEY_ID', environment, report) ?? '',
    secret_access_key: secretOf('AWS_SECRET_ACCESS_KEY', environment, report) ?? '',
    session_token: secretOf('AWS_SESSION_TOKEN', environment, report),
  }
}

function serviceAccount(
  { name, entry, path }: CredentialOwner,
  { environment, readFile, file }: CredentialSources,
  report: Report,
): Credential[] {
  const at = [...path, 'service_account']
  const written = entry.service_account && withoutLineEnd(entry.service_account)
  const given = written ?? environment.GOOGLE_APPLICATION_CREDENTIALS
  if (!given) {
    report.problem(at, 'is missing: the path of a service account key file, or its JSON')
    return []
  }
  let text: string | undefined
  try {
    text = given.trimStart().startsWith('{')
      ? given
      : readFile(written === undefined ? given : besideFile(written, file))
  } catch (error) {
    report.problem(at, `names a file that ${fileMistake(error)}`)
    return []
  }
  if (text === undefined) {
    report.problem(at, 'names a file that does not exist')
    return []
  }
  const json = parseJson(text)
  if (!isJsonObject(json) || typeof json.client_email !== 'string' || typeof json.private_key !== 'string') {
    report.problem(at, 'must be a service account key: JSON with client_email and private_key')
    return []
  }
  return [
    {
      kind: 'google-service-account',
      name: `${name}#1`,
      clientEmail: json.client_email,
      privateKey: json.private_key,
    },
  ]
}
