import { type ErrorCode, ERRORS } from '../../core/error.ts'
import { pageShell } from '../shell.ts'

const PAGES = new URL('../../../docs/errors/', import.meta.url)

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text)
}

/** The page of an error code: `docs/errors/<code>.md` as HTML. */
export async function errorPage(code: ErrorCode): Promise<string> {
  const markdown = await Bun.file(new URL(`${code}.md`, PAGES)).text()
  return pageShell({
    title: `${code} · Tollgate`,
    description: `What the error ${code} means and what to do about it.`,
    here: undefined,
    main: `${Bun.markdown.html(markdown)}\n<p><a href="/docs#errors">All errors</a></p>`,
  })
}
