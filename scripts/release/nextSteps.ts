import { tagOf } from './checks.ts'
import { CHECKSUMS, TAG_TEXT } from './prepareRelease.ts'
import type { Publication } from './publication.ts'

export interface PreparedRelease {
  readonly version: string
  readonly commit: string
  /** Where the files are, as a path that a shell takes. */
  readonly folder: string
  /** The names of the files to publish, the checksums among them. */
  readonly files: readonly string[]
  readonly publication: Publication
}

/** The commands that a person runs after this, in their order. None of them has been run. */
export function nextSteps({ version, commit, folder, files, publication }: PreparedRelease): string {
  const tag = tagOf(version)
  const isPrerelease = version.includes('-')
  const at = (file: string): string => `${folder}/${file}`
  const tarball = files.find((file) => file.endsWith('.tgz')) ?? ''
  const uploads = [...files, `${CHECKSUMS}.asc`].map(at)
  const { repository } = publication
  return [
    '# The proof, at this commit, in a clean checkout:',
    'bash .ci/run',
    '# The tag, and a signature of the checksums:',
    `git tag -s ${tag} -F ${at(TAG_TEXT)} ${commit}`,
    `gpg --armor --detach-sign ${at(CHECKSUMS)}`,
    `git push ${repository === undefined ? 'YOUR-COPY-OF-THE-REPOSITORY' : `${repository}.git`} ${tag}`,
    ...uploadSteps(tag, isPrerelease, at(TAG_TEXT), uploads, repository),
    '# The package. npm demands a tag for what is not a final version:',
    `npm publish ./${at(tarball)}${isPrerelease ? ' --tag next' : ''}`,
  ].join('\n')
}

function uploadSteps(
  tag: string,
  isPrerelease: boolean,
  notes: string,
  uploads: readonly string[],
  repository: string | undefined,
): string[] {
  const prefix = 'https://github.com/'
  if (repository?.startsWith(prefix) !== true)
    return ['# Upload to where the repository has its releases:', ...uploads.map((file) => `#   ${file}`)]
  const words = ['gh release create', tag, `--repo ${repository.slice(prefix.length)}`, '--verify-tag']
  return [
    '# The release:',
    [...words, ...(isPrerelease ? ['--prerelease'] : []), `--notes-file ${notes}`, ...uploads].join(' '),
  ]
}
