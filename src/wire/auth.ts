/** How a request authenticates at a provider. */
export type Auth =
  | { readonly kind: 'none' }
  /** `Authorization: Bearer <key>` */
  | { readonly kind: 'bearer' }
  /** `<name>: <key>` */
  | { readonly kind: 'header'; readonly name: string }
  /** AWS Signature Version 4, or a bearer key when one is configured. */
  | { readonly kind: 'sigv4'; readonly service: string }
  /** OAuth token of a Google service account. */
  | { readonly kind: 'google-oauth' }
