import { createDataPlane } from '../../src/http/dataPlane.ts'

/** Every path under `/v1`, and which method it takes; nothing is asked of it. */
export const DATA_PLANE = createDataPlane({} as Parameters<typeof createDataPlane>[0]).endpoints
