/** The last version that takes sampling parameters, which later ones refuse for every model. */
export const API_VERSION = '2023-06-01'
