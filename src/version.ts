import packageJson from '../package.json' with { type: 'json' }

/** Tollgate's own version. */
export const version: string = packageJson.version
