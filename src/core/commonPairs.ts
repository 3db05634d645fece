/**
 * By letter, what follows it in 98.6 % of the pairs of English text and code (2.4 million pairs of documentation and
 * TypeScript). Vocabularies have words made of these; of other pairs almost each letter is a token.
 */
export const COMMON_PAIRS: Readonly<Record<string, string>> = {
  a: 'bcdfgiklmnprstuvwxy',
  b: 'aeijlorsuy',
  c: 'acehiklorstuy',
  d: 'abdegilmorstuy',
  e: 'abcdefgijlmnopqrstuvwxy',
  f: 'acefilortu',
  g: 'aehilnoprstu',
  h: 'aeiortu',
  i: 'abcdefgklmnoprstvxz',
  j: 'eos',
  k: 'eins',
  l: 'acdegilostuvy',
  m: 'abdegilmopsu',
  n: 'acdefgiklnopstuvy',
  o: 'abcdefgiklmnoprstuvw',
  p: 'aeilmoprstu',
  q: 'u',
  r: 'acdefgiklmnorstuvy',
  s: 'acdefhiklopqstuvwy',
  t: 'acefghilmoprstuwy',
  u: 'abcdefgilmnprst',
  v: 'aeio',
  w: 'aehinors',
  x: 'acpt',
  y: 'aenopst',
  z: 'e',
}
