import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { firstPicture } from '../../scripts/firstPicture.ts'
import { expectCurrent } from '../support/generated.ts'
import { readPage } from './page.ts'

const PICTURE = 'docs/images/first-page.svg'

test('the picture of the README shows what a gateway shows today', async () => {
  const text = readFileSync(new URL(`../../${PICTURE}`, import.meta.url), 'utf8')
  expectCurrent(PICTURE, text, await firstPicture(), 'scripts/updateFirstPicture.ts')
  expect(readPage('README.md').text).toContain(`(${PICTURE})`)
})
