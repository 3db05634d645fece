import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { anchorsOf } from '../documents/anchors.ts'
import type { Place } from './moduleCounts.ts'
import type { SourceFile } from './sourceFiles.ts'
import { lineAt, only } from './sourceText.ts'

const ROOT = join(import.meta.dir, '../..')

/** How comments cite pages that are not in the repository. */
const OUTSIDE =
  /\brulings?\b|\bdesign(?:\s+§|,\s+")|\breference\s+"|\bcontract(?:,\s+"|\s+\(")|\((?:the\s+)?contract\b/gi
const PAGE = /(?<page>[\w./-]*\w\.md)\b(?:#(?<anchor>[\w-]+))?/g

/** A sentence for each citation of a page that is not in the repository. */
export function citationComplaints(files: readonly SourceFile[]): string[] {
  return files
    .flatMap(citationsOfNothing)
    .map(
      ({ path, line, fault }) =>
        `${path}:${line}: "${fault}" is not in the repository: state the rule, or cite a heading of docs/ (docs/billing.md#the-ledger)`,
    )
}

/** The citations in the comments of a file that lead nowhere: the page or its heading is not in the repository. */
export function citationsOfNothing({ path, text }: SourceFile): Place[] {
  const comments = only(text, ['comment']).replaceAll(/\b[a-z]+:\/\/\S+/g, ({ length }) => ' '.repeat(length))
  const pages = [...comments.matchAll(PAGE)].filter(
    ({ groups }) => !isThere(path, groups?.page ?? '', groups?.anchor),
  )
  return [...comments.matchAll(OUTSIDE), ...pages].map(({ index, 0: cited }) => ({
    path,
    line: lineAt(comments, index),
    fault: cited.replaceAll(/\s+/g, ' '),
  }))
}

function isThere(path: string, page: string, anchor: string | undefined): boolean {
  const file = [page, join(dirname(path), page)]
    .map((each) => join(ROOT, each))
    .find((each) => existsSync(each))
  return file !== undefined && (anchor === undefined || anchorsOf(file).has(anchor))
}
