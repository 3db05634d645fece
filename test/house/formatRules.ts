/** What is there for wire formats. */
export interface FormatFacts {
  /** The ids of `WIRE_FORMATS`. */
  readonly registered: readonly string[]
  /** The files below `src/wire`, by their path from there. */
  readonly files: readonly string[]
}

/** Files that every format has in its folder, with what to do where one is missing. */
const NEEDED: readonly (readonly [file: RegExp, what: string])[] = [
  [/^README\.md$/, 'README.md: say what the format is, and what to know about it'],
  [/^laws\.test\.ts$/, 'laws.test.ts: call describeCodecLaws (test/support/codecLaws.ts)'],
  [/^answers\.test\.ts$|^decodeResponse\.test\.ts$/, 'answers.test.ts: read its recorded answers'],
  [/^__fixtures__\/README\.md$/, '__fixtures__/README.md: name the source of each recorded answer'],
  [/^__fixtures__\/.+\.json$/, '__fixtures__/*.json: record a whole answer'],
  [/^__fixtures__\/.+\.(?:sse|jsonl|txt)$/, '__fixtures__/*.sse: record a streamed answer'],
]

/** A sentence for each thing that a wire format lacks. */
export function formatComplaints({ registered, files }: FormatFacts): string[] {
  const folders = new Set(files.flatMap((path) => (path.includes('/') ? [path.split('/', 1).join('')] : [])))
  return [
    ...[...folders]
      .filter((folder) => !registered.includes(folder))
      .map((folder) => `src/wire/${folder} is not registered: add its format to src/wire/formats.ts`),
    ...registered
      .filter((id) => !folders.has(id))
      .map((id) => `the wire format ${id} has no folder of its name in src/wire`),
    ...[...folders].flatMap((folder) => {
      const own = files
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1))
      return NEEDED.filter(([file]) => !own.some((path) => file.test(path))).map(
        ([, what]) => `src/wire/${folder} lacks ${what}`,
      )
    }),
  ]
}
