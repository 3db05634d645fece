import { expect, test } from 'bun:test'
import { isAccountAddress, isFileText } from './accountAddress.ts'

const FILE = 'v1beta/files/abc'

test.each([
  'gs://bucket/secret.png',
  'GS://bucket/secret.png',
  ' \t\n gs://bucket/secret.png',
  '\u00a0\ufeff\u200bgs://bucket/secret.png',
  'g\ts:\n//bucket/secret.png',
  'gs:\\\\bucket\\secret.png',
  's3://bucket/film.mp4',
  'ms://file-1',
  'oss://dashscope-instant/1.png',
  'mm_file://1',
  'tos://bucket/1.png',
  'abfss://files@account.dfs.core.windows.net/1.png',
  'a-scheme-of-tomorrow://1',
])('an address of a scheme that is not the web is one of an account: %j', (address) => {
  expect(isAccountAddress(address)).toBe(true)
})

test.each([
  `https://generativelanguage.googleapis.com/${FILE}`,
  `http://generativelanguage.googleapis.com/${FILE}`,
  `HTTPS://GenerativeLanguage.GoogleAPIs.com/${FILE}`,
  `https://generativelanguage.googleapis.com:443/${FILE}`,
  `https://generativelanguage.googleapis.com:99999/${FILE}`,
  `https://generativelanguage.googleapis.com./${FILE}`,
  `https://generativelanguage.googleapis.com../${FILE}`,
  `https://x@generativelanguage.googleapis.com/${FILE}`,
  `https://x:y@generativelanguage.googleapis.com:443/${FILE}`,
  `https://example.com@generativelanguage.googleapis.com/${FILE}`,
  `https://example.com\\@generativelanguage.googleapis.com/${FILE}`,
  `https://generativelanguage.googleapis.com\\@example.com/${FILE}`,
  `https://%67enerativelanguage%2Egoogleapis.com/${FILE}`,
  `https:\\\\generativelanguage.googleapis.com\\${FILE}`,
  `https:/generativelanguage.googleapis.com/${FILE}`,
  `https:generativelanguage.googleapis.com/${FILE}`,
  `https:////generativelanguage.googleapis.com/${FILE}`,
  `ht\ntps:/\t/generative\rlanguage.googleapis.com/${FILE}`,
  `  https://generativelanguage.googleapis.com/${FILE}`,
  `\u3000https://generativelanguage.googleapis.com/${FILE}`,
  `https://generativelanguage\u3002googleapis\uff0ecom/${FILE}`,
  `https://\uff47enerativelanguage.googleapis.com/${FILE}`,
  `https://generative\u00adlanguage.googleapis.com/${FILE}`,
  `https://generativelanguage.googleapi\u017f.com/${FILE}`,
  `https://%EF%BD%87enerativelanguage.googleapis.com/${FILE}`,
  'https://generativelanguage.googleapis.com?alt=media',
  `https://generativelanguage.mtls.googleapis.com/${FILE}`,
  'https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l/ragCorpora/1',
  'https://aiplatform.googleapis.com/v1/projects/p',
  'https://storage.cloud.google.com/bucket/secret.png',
])('a host that answers by the account is found however it is written: %j', (address) => {
  expect(isAccountAddress(address)).toBe(true)
})

test.each([
  '',
  'word',
  'https:',
  'https://',
  'https://example.com',
  'https://example.com/cat.png',
  'https://example.com:8443/cat.png?file=gs://bucket/cat.png',
  'https://example.com/generativelanguage.googleapis.com/v1beta/files/abc',
  'https://example.com?next=https://generativelanguage.googleapis.com/',
  'https://generativelanguage.googleapis.com.example.com/cat.png',
  'https://mygenerativelanguage.example/cat.png',
  'https://user@example.com/cat.png',
  'https://bücher.example/cat.png',
  'https://www.youtube.com/watch?v=1',
  'https://storage.googleapis.com/public/cat.png',
  'https://storage.googleapis.com/private/cat.png?X-Goog-Signature=1',
  'https://bucket.s3.eu-west-1.amazonaws.com/cat.png?X-Amz-Signature=1',
  'https://account.blob.core.windows.net/images/cat.png?sig=1',
  'data:image/png;base64,AAAA',
  'DATA:text/plain,gs://bucket/file',
  'iVBORw0KGgoAAAANSUhEUgAA//8=',
  'C://pictures/cat.png',
  'see gs://bucket/cat.png',
  '12:30 // noon',
  `${'x'.repeat(40)}://1`,
])('what anybody can read, and what is no address, is not: %j', (text) => {
  expect(isAccountAddress(text)).toBe(false)
})

test('a text that stands for files is one; a text that mentions them is not', () => {
  expect(isFileText('fileid://file-fe-1,fileid://file-fe-2')).toBe(true)
  expect(isFileText('\n FileID://file-fe-1')).toBe(true)
  expect(isFileText('Write fileid:// before the id.')).toBe(false)
  expect(isFileText('gs://bucket is where it lies.')).toBe(false)
})

test('an address of megabytes is judged in time that grows with its length', () => {
  const long = 1_000_000
  const texts = [
    `https://${'generativelanguage.'.repeat(long / 20)}googleapis.com/`,
    `https://${'a@'.repeat(long / 2)}example.com/`,
    `https://${'%67'.repeat(long / 3)}/`,
    `${' '.repeat(long)}https://example.com/`,
    `https:${'/'.repeat(long)}example.com`,
    `g${'\t'.repeat(long)}s://x`,
  ]
  for (const text of texts) {
    const start = performance.now()
    isAccountAddress(text)
    // Where each character is read once; a square of them would take hours.
    expect(performance.now() - start).toBeLessThan(10_000)
  }
})
