import type { ConfiguredProvider, Credential } from '../providers/configured.ts'
import type { Settings } from './settings.ts'

/** Every value of a configuration that opens something, or may: what nobody must be told in a log. */
export function secretsOf({ server, database, providers }: Settings): string[] {
  const secrets = doorTokensOf({ server })
  if (database.engine === 'postgres') secrets.push(...passwordOf(database.url))
  for (const provider of providers.values()) secrets.push(...secretsOfProvider(provider))
  return secrets
}

/**
 * The values of a configuration that open something and are nothing else. Not headers and queries whose name does not say
 * so: they may be ordinary words, such as the title of an application.
 */
export function tokensOf({ server, database, providers }: Settings): string[] {
  const tokens = doorTokensOf({ server })
  if (database.engine === 'postgres') tokens.push(...passwordOf(database.url))
  for (const { credentials, headers = {} } of providers.values()) {
    tokens.push(...credentials.flatMap(keysOfCredential))
    for (const [name, value] of Object.entries(headers)) {
      if (SECRET_NAME.test(name)) tokens.push(...secretsOfHeader(value))
    }
  }
  return tokens
}

/** The tokens of a configuration that open the admin API and the metrics. */
export function doorTokensOf({ server: { adminToken, metricsToken } }: Pick<Settings, 'server'>): string[] {
  return [adminToken, metricsToken].filter((token) => token !== undefined)
}

function secretsOfProvider({ credentials, headers = {}, query = {} }: ConfiguredProvider): string[] {
  return [
    ...credentials.flatMap(secretsOfCredential),
    ...Object.values(headers).flatMap(secretsOfHeader),
    ...Object.values(query),
  ]
}

function secretsOfCredential(credential: Credential): string[] {
  switch (credential.kind) {
    case 'key':
      return [credential.key]
    case 'aws': {
      const { accessKeyId, secretAccessKey, sessionToken } = credential
      return [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])]
    }
    case 'google-service-account':
      return [credential.privateKey, credential.clientEmail]
  }
}

function keysOfCredential(credential: Credential): string[] {
  if (credential.kind === 'google-service-account') return [credential.privateKey]
  return secretsOfCredential(credential)
}

const SECRET_NAME = /auth|key|token|secret|password|cookie/i
const SCHEME = /^(bearer|basic|token|key|api-?key) +(\S+)$/i

/** A header may name a scheme before its secret: `Bearer …`, `Basic …`. */
function secretsOfHeader(value: string): string[] {
  const [, scheme = '', word] = SCHEME.exec(value) ?? []
  if (word === undefined) return [value]
  // `user:password` in Base64.
  if (scheme.toLowerCase() !== 'basic') return [value, word]
  return [value, word, ...Buffer.from(word, 'base64').toString().split(':')]
}

function passwordOf(url: string): string[] {
  const password = URL.canParse(url) ? new URL(url).password : ''
  if (password === '') return []
  try {
    return [password, decodeURIComponent(password)]
  } catch (error) {
    // A password with a bare percent sign is not encoded.
    if (error instanceof URIError) return [password]
    throw error
  }
}
