/** Set to `1` by `npm run test:long`. */
const LONG_VARIABLE = 'TOLLGATE_TEST_LONG'

/** Whether tests run in their full form. */
export const isLong: boolean = process.env[LONG_VARIABLE] === '1'

/** How much of something a test does: little in every run, everything in the long one. */
export function scaled<Value>({ short, long }: { readonly short: Value; readonly long: Value }): Value {
  return isLong ? long : short
}
