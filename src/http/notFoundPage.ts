import { escapeHtml } from './escape.ts'
import { pageShell } from './shell.ts'

/**
 * A 404 for people. Its status and its message are those that programs get as JSON.
 * @param message text
 */
export function notFoundPage(message: string): string {
  return pageShell({
    title: 'Page not found · Tollgate',
    description: 'There is no page at this address.',
    here: undefined,
    main: `<h1>Page not found</h1>
<p>${escapeHtml(message)}</p>
<p>Look for it among the <a href="/docs/guides">guides</a>, in the <a href="/docs">API reference</a> or in the <a href="/docs/errors">list of errors</a>. Models and their prices are <a href="/">on the first page</a>.</p>`,
  })
}
