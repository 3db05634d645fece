import { describe, expect, test } from 'bun:test'
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime'
import { failureOf } from '../../../test/support/wireFixtures.ts'
import { UpstreamError } from '../../core/failure.ts'
import type { Credential } from '../../providers/configured.ts'
import { createAuthorizer } from './authorize.ts'
import type { UnsignedRequest } from './unsignedRequest.ts'

const NOW = Date.UTC(2015, 7, 30, 12, 36, 0)

const authorize = createAuthorizer({
  now: () => NOW,
  fetchToken: () => Promise.reject(new Error('no token is fetched here')),
})

const key: Credential = { kind: 'key', name: 'acme#1', key: 'sk-1' }
const request: UnsignedRequest = {
  method: 'POST',
  url: new URL('https://api.example.com/v1/chat'),
  headers: { 'content-type': 'application/json' },
  body: '{}',
}

describe('keys', () => {
  test('stand where the provider wants them', () => {
    expect(authorize({ kind: 'bearer' }, key, request)).toEqual({
      'content-type': 'application/json',
      authorization: 'Bearer sk-1',
    })
    for (const name of ['x-api-key', 'api-key', 'X-Goog-Api-Key']) {
      expect(authorize({ kind: 'header', name }, key, request)).toEqual({
        'content-type': 'application/json',
        [name.toLowerCase()]: 'sk-1',
      })
    }
    expect(authorize({ kind: 'none' }, undefined, request)).toEqual({ 'content-type': 'application/json' })
  })

  test('headers that are the same for many calls are written once for each credential', () => {
    const other: Credential = { kind: 'key', name: 'acme#2', key: 'sk-2' }
    for (const auth of [{ kind: 'bearer' }, { kind: 'header', name: 'x-api-key' }] as const) {
      const headers = Object.freeze({ 'content-type': 'application/json' })
      const first = authorize(auth, key, { ...request, headers })
      expect(authorize(auth, key, { ...request, headers })).toBe(first)
      expect(authorize(auth, other, { ...request, headers })).not.toEqual(first)
      expect(authorize(auth, key, { ...request, headers })).toBe(first)
      expect(authorize({ kind: 'header', name: 'api-key' }, key, { ...request, headers })).toEqual({
        ...headers,
        'api-key': 'sk-1',
      })
      expect(authorize(auth, key, request)).not.toBe(authorize(auth, key, request))
    }
  })

  test('a Bedrock API key and a ready Google token are bearers', () => {
    const bearer = { 'content-type': 'application/json', authorization: 'Bearer sk-1' }
    expect(authorize({ kind: 'sigv4', service: 'bedrock' }, key, request)).toEqual(bearer)
    expect(authorize({ kind: 'google-oauth' }, key, request)).toEqual(bearer)
  })

  test('a missing or foreign credential is a failure of the credential', () => {
    const aws = awsCredential({})
    for (const [kind, credential] of [
      ['bearer', undefined],
      ['bearer', aws],
      ['google-oauth', undefined],
    ] as const) {
      expect(() => authorize({ kind }, credential, request)).toThrow(UpstreamError)
    }
    const unsigned = () => authorize({ kind: 'sigv4', service: 'bedrock' }, undefined, request)
    expect(failureOf(unsigned)?.detail).toContain('no credential')
  })
})

describe('AWS Signature Version 4', () => {
  // https://docs.aws.amazon.com/general/latest/gr/signature-v4-test-suite.html
  const vectors: [string, 'GET' | 'POST', string, string][] = [
    ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '/?Param2=value2&Param1=value1',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
  ]
  test.each(vectors)('signs the published vector %s', async (_name, method, path, signature) => {
    const headers = await authorize({ kind: 'sigv4', service: 'service' }, awsCredential({}), {
      method,
      url: new URL(path, 'https://example.amazonaws.com'),
      headers: {},
      body: '',
    })
    expect(headers).toEqual({
      'x-amz-date': '20150830T123600Z',
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    })
  })

  const paths = [
    '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream',
    '/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Ainference-profile%2Fx/converse',
    '/model/plain/converse',
  ]
  test.each(paths)("signs a Converse call to %s as AWS's own signer does", async (path) => {
    for (const sessionToken of [undefined, 'FwoGZXIvYXdzEXAMPLE//////////token=']) {
      const credential = awsCredential({
        region: 'eu-west-1',
        ...(sessionToken === undefined ? {} : { sessionToken }),
      })
      const body = '{"messages":[{"role":"user","content":[{"text":"Grüße 🌍"}]}]}'
      const url = new URL(`https://bedrock-runtime.eu-west-1.amazonaws.com${path}`)
      const ours = await authorize({ kind: 'sigv4', service: 'bedrock' }, credential, {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', accept: '*/*' },
        body,
      })
      expect(ours['authorization']).toBe(await officialSignature(credential, url, body))
      expect(ours['content-type']).toBe('application/json')
      expect(ours['x-amz-security-token']).toBe(sessionToken as string)
    }
  })
})

type AwsCredential = Extract<Credential, { kind: 'aws' }>

function awsCredential(more: Partial<AwsCredential>): AwsCredential {
  return {
    kind: 'aws',
    name: 'bedrock#1',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
    ...more,
  }
}

/** The signature that AWS's client makes of the same request. */
async function officialSignature(
  credential: AwsCredential,
  url: URL,
  body: string,
): Promise<string | undefined> {
  const { accessKeyId, secretAccessKey, sessionToken, region } = credential
  const client = new BedrockRuntimeClient({
    region,
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  })
  const signer = await client.config.signer?.({
    name: 'sigv4',
    signingName: 'bedrock',
    signingRegion: region,
    properties: {},
  })
  const signed = await signer?.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: url.host,
      path: url.pathname,
      query: {},
      headers: { host: url.host },
      body,
    },
    { signingDate: new Date(NOW), unsignableHeaders: new Set(['x-amz-content-sha256']) },
  )
  client.destroy()
  return signed?.headers['authorization']
}
