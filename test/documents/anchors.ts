import { readFileSync } from 'node:fs'

/** The anchors that a page has, as GitHub makes them of its headings. */
export function anchorsOf(path: string): Set<string> {
  const text = readFileSync(path, 'utf8').replaceAll(/```[\s\S]*?```/g, '')
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}
