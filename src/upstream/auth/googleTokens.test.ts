import { createVerify, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'bun:test'
import { UpstreamError } from '../../core/failure.ts'
import { createHttpClient } from '../http/client.ts'
import { fetchTokenOver } from './fetchToken.ts'
import { createGoogleTokens, type FetchToken, type GoogleCredential } from './googleTokens.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

const credential: GoogleCredential = {
  kind: 'google-service-account',
  name: 'vertex#1',
  clientEmail: 'gate@project.iam.gserviceaccount.com',
  privateKey,
}

/** A clock to be moved by hand and an endpoint that counts its tokens. */
function world(answer?: FetchToken) {
  const state = { now: Date.UTC(2026, 0, 1), asked: [] as string[] }
  const fetchToken: FetchToken = (url, form) => {
    state.asked.push(form)
    if (answer) return answer(url, form)
    const body = JSON.stringify({
      access_token: `token-${state.asked.length}`,
      expires_in: 3599,
      token_type: 'Bearer',
    })
    return Promise.resolve({ status: 200, body })
  }
  return { state, tokens: createGoogleTokens({ now: () => state.now, fetchToken }) }
}

describe('tokens of a Google service account', () => {
  test('a token is kept until a minute before it expires', async () => {
    const { state, tokens } = world()
    expect(await tokens.token(credential)).toBe('token-1')
    state.now += 3_538_000
    expect(tokens.token(credential)).toBe('token-1')
    state.now += 1_000
    expect(await tokens.token(credential)).toBe('token-2')
  })

  test('all who ask at once share one request', async () => {
    const { state, tokens } = world()
    const asked = Array.from({ length: 50 }, () => tokens.token(credential))
    expect(new Set(await Promise.all(asked.map((token) => Promise.resolve(token))))).toEqual(
      new Set(['token-1']),
    )
    expect(state.asked).toHaveLength(1)
  })

  test('accounts have tokens of their own', async () => {
    const { state, tokens } = world()
    await tokens.token(credential)
    await tokens.token({ ...credential, clientEmail: 'other@project.iam.gserviceaccount.com' })
    expect(state.asked).toHaveLength(2)
  })

  test('a failed request is not kept: the next one asks again', async () => {
    let failures = 1
    const { tokens } = world(() =>
      Promise.resolve(
        failures-- > 0
          ? { status: 503, body: 'try later' }
          : { status: 200, body: '{"access_token":"late","expires_in":3600}' },
      ),
    )
    expect(await failureOf(tokens.token(credential))).toMatchObject({ kind: 'server', status: 503 })
    expect(await tokens.token(credential)).toBe('late')
  })

  test('what Google refuses, what is no token and a key that cannot sign are told apart', async () => {
    const refused = world(() => Promise.resolve({ status: 400, body: '{"error":"invalid_grant"}' }))
    expect(await failureOf(refused.tokens.token(credential))).toMatchObject({
      kind: 'credential',
      detail: 'token request: invalid_grant',
    })
    const empty = world(() => Promise.resolve({ status: 200, body: '<html>' }))
    expect(await failureOf(empty.tokens.token(credential))).toMatchObject({ kind: 'invalid_answer' })
    const { tokens } = world()
    expect(await failureOf(tokens.token({ ...credential, privateKey: 'no key' }))).toMatchObject({
      kind: 'credential',
    })
  })

  test('the assertion is signed, asks for the cloud scope and reaches the endpoint as a form', async () => {
    let form = new URLSearchParams()
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        form = new URLSearchParams(await request.text())
        return Response.json({ access_token: 'over-http', expires_in: 3600 })
      },
    })
    const tokenUrl = new URL(`http://127.0.0.1:${server.port}/token`)
    const http = createHttpClient({ monotonic: () => performance.now() })
    const tokens = createGoogleTokens({
      now: () => Date.UTC(2026, 0, 1),
      fetchToken: fetchTokenOver(http),
      tokenUrl,
    })
    const escaped = { ...credential, privateKey: privateKey.replaceAll('\n', String.raw`\n`) }
    expect(await tokens.token(escaped)).toBe('over-http')
    http.close()
    await server.stop(true)

    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'RS256', typ: 'JWT' })
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      iss: credential.clientEmail,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: tokenUrl.href,
      iat: Date.UTC(2026, 0, 1) / 1000,
      exp: Date.UTC(2026, 0, 1) / 1000 + 3600,
    })
    const verify = createVerify('RSA-SHA256').update(`${header}.${claims}`)
    expect(verify.verify(publicKey, signature, 'base64url')).toBe(true)
  })
})

async function failureOf(token: string | Promise<string>): Promise<unknown> {
  try {
    return await token
  } catch (error) {
    return error instanceof UpstreamError ? error.failure : error
  }
}
