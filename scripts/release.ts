// Checks that this commit can be released, and prepares the files of the release: npm run release -- --help
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { mistakesOfProgram, mistakesOfRelease } from './release/checks.ts'
import { outputOf } from './release/commands.ts'
import { nextSteps } from './release/nextSteps.ts'
import { prepareRelease } from './release/prepareRelease.ts'
import { type Publication, readPublication } from './release/publication.ts'
import { buildOneFile } from './oneFile.ts'
import { version as ownVersion } from '../src/program.ts'

const USAGE = `Usage: npm run release -- [--check] [--version X] [--repository URL] [--security-contact ADDRESS]

Checks that this commit can be released, builds the program, writes the files of the release to dist/release, and prints
the commands that publish them. It runs none of those. It tags, pushes and uploads nothing.

  --check                     only checks
  --version X                 the version that is meant; default: that of package.json
  --repository URL            where the sources are, without .git; default: TOLLGATE_REPOSITORY
  --security-contact ADDRESS  who gets reports of vulnerabilities: an e-mail address or https://…;
                              default: TOLLGATE_SECURITY_CONTACT

Both addresses are written into the released package.json, SECURITY.md and bill of materials, and left out where they are
not given. CONTRIBUTING.md, "Make a release", has the steps before and after.`

const ROOT = join(import.meta.dir, '..')
const FOLDER = join(ROOT, 'dist/release')
const PROGRAM = join(ROOT, 'dist/tollgate')

process.exit(await command())

async function command(): Promise<number> {
  let request: Request
  try {
    request = readRequest(process.argv.slice(2))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    return 2
  }
  if (request.help) {
    console.log(USAGE)
    return 0
  }
  const { version, publication } = request
  const today = new Date().toISOString().slice(0, 10)
  const mistakes = mistakesOfRelease({ root: ROOT, version, today })
  if (mistakes.length > 0) return refuse(version, mistakes)
  console.log(`This commit can be released as ${version}.`)
  if (request.checkOnly) return 0

  const commit = outputOf(ROOT, 'git', 'rev-parse', 'HEAD').trim()
  await buildOneFile(PROGRAM)
  const wrongProgram = mistakesOfProgram(PROGRAM, version, commit)
  if (wrongProgram.length > 0) return refuse(version, wrongProgram)
  const files = await prepareRelease(FOLDER, { root: ROOT, version, program: PROGRAM, publication })
  const folder = relative(ROOT, FOLDER)
  console.log(`${folder} has:\n${files.map((file) => `  ${file}`).join('\n')}\n\nNow run, in ${ROOT}:\n`)
  console.log(nextSteps({ version, commit, folder, files, publication }))
  return 0
}

interface Request {
  readonly help: boolean
  readonly checkOnly: boolean
  readonly version: string
  readonly publication: Publication
}

function readRequest(words: string[]): Request {
  const { values } = parseArgs({
    args: words,
    options: {
      help: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      version: { type: 'string', default: ownVersion },
      repository: { type: 'string', default: process.env['TOLLGATE_REPOSITORY'] ?? '' },
      'security-contact': { type: 'string', default: process.env['TOLLGATE_SECURITY_CONTACT'] ?? '' },
    },
  })
  const publication = readPublication(values.repository, values['security-contact'])
  return { help: values.help, checkOnly: values.check, version: values.version, publication }
}

function refuse(version: string, mistakes: readonly string[]): number {
  console.error(`This commit cannot be released as ${version}:`)
  for (const mistake of mistakes) console.error(`- ${mistake}`)
  return 1
}
