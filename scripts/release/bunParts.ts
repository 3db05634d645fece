/** A library that is linked into the runtime, or built into it in JavaScript. */
export interface BunPart {
  readonly name: string
  /** As its list words it. */
  readonly license: string
  readonly source: string
  /** Its name in `process.versions`; absent: the runtime does not say which version it has. */
  readonly versionKey?: string
}

/** The list that Bun's own license document has, read on 2026-11-29. */
export const BUN_LICENSES =
  'https://github.com/oven-sh/bun/blob/09015d9125245b462c3a986d5c166ea28445a237/LICENSE.md'

/** What Bun links statically on Linux, from `BUN_LICENSES`. */
export const LINKED_PARTS: readonly BunPart[] = [
  {
    name: 'JavaScriptCore and WebCore files of WebKit',
    license: 'LGPL-2',
    source: 'https://github.com/oven-sh/webkit',
    versionKey: 'webkit',
  },
  {
    name: 'boringssl',
    license: 'several licenses, in its LICENSE',
    source: 'https://boringssl.googlesource.com/boringssl/',
    versionKey: 'boringssl',
  },
  { name: 'brotli', license: 'MIT', source: 'https://github.com/google/brotli' },
  {
    name: 'libarchive',
    license: 'several licenses, in its COPYING',
    source: 'https://github.com/libarchive/libarchive',
    versionKey: 'libarchive',
  },
  {
    name: 'lol-html',
    license: 'BSD 3-Clause',
    source: 'https://github.com/cloudflare/lol-html/tree/master/c-api',
    versionKey: 'lolhtml',
  },
  {
    name: 'ls-hpack',
    license: 'MIT',
    source: 'https://github.com/litespeedtech/ls-hpack',
    versionKey: 'lshpack',
  },
  { name: 'ls-qpack', license: 'MIT', source: 'https://github.com/litespeedtech/ls-qpack' },
  {
    name: 'lsquic',
    license: 'MIT; parts of Chromium proto-quic: BSD 3-Clause',
    source: 'https://github.com/litespeedtech/lsquic',
  },
  {
    name: 'mimalloc',
    license: 'MIT',
    source: 'https://github.com/microsoft/mimalloc',
    versionKey: 'mimalloc',
  },
  {
    name: 'picohttp',
    license: 'Perl License or MIT',
    source: 'https://github.com/h2o/picohttpparser',
    versionKey: 'picohttpparser',
  },
  { name: 'zstd', license: 'BSD or GPLv2', source: 'https://github.com/facebook/zstd', versionKey: 'zstd' },
  { name: 'simdutf', license: 'Apache 2.0', source: 'https://github.com/simdutf/simdutf' },
  {
    name: 'tinycc',
    license: 'LGPL v2.1',
    source: 'https://github.com/tinycc/tinycc',
    versionKey: 'tinycc',
  },
  {
    name: 'uSockets',
    license: 'Apache 2.0',
    source: 'https://github.com/uNetworking/uSockets',
    versionKey: 'usockets',
  },
  { name: 'zlib-ng', license: 'zlib', source: 'https://github.com/zlib-ng/zlib-ng', versionKey: 'zlib' },
  { name: 'c-ares', license: 'MIT', source: 'https://github.com/c-ares/c-ares', versionKey: 'ares' },
  {
    name: 'libicu',
    license: 'its LICENSE',
    source: 'https://github.com/unicode-org/icu',
    versionKey: 'icu',
  },
  { name: 'libbase64', license: 'BSD 2-Clause', source: 'https://github.com/aklomp/base64' },
  {
    name: 'libdeflate',
    license: 'MIT',
    source: 'https://github.com/ebiggers/libdeflate',
    versionKey: 'libdeflate',
  },
  {
    name: 'libjpeg-turbo',
    license: 'BSD 3-Clause, IJG, zlib',
    source: 'https://github.com/libjpeg-turbo/libjpeg-turbo',
  },
  { name: 'libspng', license: 'BSD 2-Clause', source: 'https://github.com/randy408/libspng' },
  { name: 'libwebp', license: 'BSD 3-Clause', source: 'https://github.com/webmproject/libwebp' },
  { name: 'highway', license: 'Apache 2.0', source: 'https://github.com/google/highway' },
  { name: 'uucode', license: 'MIT', source: 'https://github.com/jacobsandlund/uucode' },
  {
    name: 'uWebSockets, a fork',
    license: 'Apache 2.0',
    source: 'https://github.com/jarred-sumner/uwebsockets',
    versionKey: 'uwebsockets',
  },
  {
    name: "parts of TigerBeetle's I/O code",
    license: 'Apache 2.0',
    source: 'https://github.com/tigerbeetle/tigerbeetle',
  },
  {
    name: '__cxa_thread_atexit of LLVM libc++abi',
    license: 'Apache 2.0 with LLVM exception',
    source: 'https://github.com/llvm/llvm-project',
  },
]

/** Packages inside the runtime that it gives to programs that import them. All have the license MIT, by `BUN_LICENSES`. */
export const BUILT_IN_PACKAGES: readonly string[] = [
  'acorn',
  'acorn-walk',
  'assert',
  'browserify-zlib',
  'buffer',
  'constants-browserify',
  'crypto-browserify',
  'domain-browser',
  'events',
  'https-browserify',
  'os-browserify',
  'path-browserify',
  'process',
  'punycode',
  'querystring-es3',
  'stream-browserify',
  'stream-http',
  'string_decoder',
  'timers-browserify',
  'tty-browserify',
  'url',
  'util',
  'vm-browserify',
]

/** What the runtime has inside by `process.versions`, and the list above does not name. */
export const UNLISTED_PARTS: readonly string[] = ['llhttp', 'sqlite']
