import { testPages } from './followPages.ts'

testPages('long')
