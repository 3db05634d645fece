import { AwsV4Signer } from 'aws4fetch'
import { RecentMap } from '../../core/recent.ts'
import type { Credential } from '../../providers/configured.ts'
import type { UnsignedRequest } from './unsignedRequest.ts'

/** Derived signing keys change daily and by credential; so many are kept. */
const SIGNING_KEYS_MAX = 64

export type AwsCredential = Extract<Credential, { kind: 'aws' }>

/**
 * Signs with AWS Signature Version 4. Only host, date and session token are signed besides path, query and
 * body: a proxy on the way may change any other header.
 */
export function createAwsSigner(now: () => number) {
  const signingKeys = new RecentMap<string, ArrayBuffer>(SIGNING_KEYS_MAX)

  return async (
    request: UnsignedRequest,
    credential: AwsCredential,
    service: string,
  ): Promise<Record<string, string>> => {
    const signer = new AwsV4Signer({
      method: request.method,
      url: request.url.href,
      body: request.body,
      accessKeyId: credential.accessKeyId,
      secretAccessKey: credential.secretAccessKey,
      ...(credential.sessionToken === undefined ? {} : { sessionToken: credential.sessionToken }),
      service,
      region: credential.region,
      datetime: amzDate(now()),
      cache: signingKeys,
    })
    const { headers } = await signer.sign()
    return { ...request.headers, ...Object.fromEntries(headers) }
  }
}

/** `20150830T123600Z` */
function amzDate(at: number): string {
  return new Date(at).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
}
