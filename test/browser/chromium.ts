import { type Browser, chromium } from 'playwright-core'

const PROGRAM = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome')

/** Why there is no browser; undefined: there is one. */
export const NO_CHROMIUM = PROGRAM === null ? 'chromium is not installed' : undefined

/** A browser without a window. It reaches nothing but this machine. */
export function openChromium(): Promise<Browser> {
  if (PROGRAM === null) throw new Error(NO_CHROMIUM)
  return chromium.launch({
    executablePath: PROGRAM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
}
