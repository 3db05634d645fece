import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject } from '../../src/core/json.ts'
import type { BillOfMaterials } from './billOfMaterials.ts'
import { BUILT_IN_PACKAGES, BUN_LICENSES, LINKED_PARTS } from './bunParts.ts'
import { readObject } from './objects.ts'

const TEXTS = join(import.meta.dir, 'texts')
/** https://github.com/spdx/license-list-XML/blob/main/src/MIT.xml */
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`

/** An npm package with its license. */
interface Licensed {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly text: string
}

/**
 * The licenses of third parties, as a page: every npm package of the bill, and the runtime with what it links.
 * @throws Error where a package has no text of its license, and none can be put in its place
 */
export function thirdPartyLicenses(root: string, bill: BillOfMaterials): string {
  const packages = bill.components
    .filter((component) => component['type'] !== 'platform')
    .map(({ name, version }) => licenseOf(root, name, version))
  return (
    [
      '# Licenses of third parties',
      'What Tollgate has inside: npm packages, the prices of one, and the runtime Bun. Tollgate itself has the license Apache-2.0, in `LICENSE`.',
      table(
        ['Package', 'Version', 'License'],
        packages.map(({ name, version, license }) => [name, version, license]),
      ),
      ...packages.map(({ name, version, text }) => `## ${name} ${version}\n\n${fenced(text)}`),
      ...runtimeSection(),
    ].join('\n\n') + '\n'
  )
}

function licenseOf(root: string, name: string, version: string): Licensed {
  const folder = join(root, 'node_modules', name)
  const { license, author } = readObject(folder, 'package.json')
  if (typeof license !== 'string') throw new Error(`${name} names no license in its package.json`)
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|copying|notice)(?:\.\w+)?$/i.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  if (texts.length > 0) return { name, version, license, text: texts.join('\n\n') }
  if (license !== 'MIT') throw new Error(`${name} has no text of its license, ${license}`)
  const by = isJsonObject(author) ? author['name'] : author
  const copyright = typeof by === 'string' ? `Copyright (c) ${by}` : `Copyright (c) the authors of ${name}`
  return { name, version, license, text: `${copyright}\n\n${MIT}` }
}

function runtimeSection(): string[] {
  const versions = process.versions as Readonly<Record<string, string | undefined>>
  const rows = LINKED_PARTS.map(({ name, license, source, versionKey }) => [
    name,
    (versionKey === undefined ? undefined : versions[versionKey]) ?? 'not reported',
    license,
    source,
  ])
  const readText = (file: string): string => fenced(readFileSync(join(TEXTS, file), 'utf8').trimEnd())
  return [
    `## Bun ${Bun.version}`,
    `Bun has the license MIT. The one file contains it unchanged; the npm package installs it. It links the libraries below (<${BUN_LICENSES}>,
read on 2026-11-29; versions as the runtime reports them, where it does). Their texts and notices are in their sources.`,
    table(['Library', 'Version', 'License', 'Source'], rows),
    `Packages inside Bun that it gives to programs that import them, all with the license MIT: ${BUILT_IN_PACKAGES.join(', ')}.`,
    `JavaScriptCore and tinycc have licenses of the LGPL, whose texts follow. To run Tollgate with changed ones, build Bun from its sources
with them (<${BUN_LICENSES}> says how), put it in the place of \`node_modules/bun/bin/bun.exe\` in a clone of Tollgate, and run \`npm run build\`.
All of Tollgate's sources are in that clone.`,
    `### GNU Library General Public License 2.0\n\n${readText('LGPL-2.0.txt')}`,
    `### GNU Lesser General Public License 2.1\n\n${readText('LGPL-2.1.txt')}`,
  ]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** As a block of text that stays as it is, whatever is in it. */
function fenced(text: string): string {
  return `\`\`\`\`text\n${text}\n\`\`\`\``
}
