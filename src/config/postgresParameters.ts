/** What becomes of a parameter of a Postgres URL. */
export type Verdict =
  | { readonly kind: 'kept' }
  /** It asks for what is done anyway, or for what one host, or our own pool, does not know. */
  | { readonly kind: 'dropped' }
  /** Written in the words of the client or the server. */
  | { readonly kind: 'replaced'; readonly by: string; readonly value: string }
  /** It belongs before the question mark. */
  | { readonly kind: 'moved'; readonly to: 'username' | 'password' | 'port' | 'pathname' }
  /** It cannot be ignored; the reason follows its name in a sentence, and has nothing of its value. */
  | { readonly kind: 'refused'; readonly why: string }

const PORT_MAX = 65_535

type Rule = (value: string) => Verdict

const KEPT: Verdict = { kind: 'kept' }
const DROPPED: Verdict = { kind: 'dropped' }

const always =
  (verdict: Verdict): Rule =>
  () =>
    verdict
const refused = (why: string): Rule => always({ kind: 'refused', why })
const moved = (to: 'username' | 'password' | 'pathname'): Rule => always({ kind: 'moved', to })

/** @param verdict for the values that are known */
function oneOf(values: readonly string[], verdict: Verdict, why?: string): Rule {
  const refusal: Verdict = { kind: 'refused', why: why ?? `must be one of: ${values.join(', ')}` }
  return (value) => (values.includes(value) ? verdict : refusal)
}

/** @param on what it means; off, it means nothing */
function toggle(on: Verdict, off: Verdict = DROPPED): Rule {
  return (value) => {
    if (['true', '1'].includes(value)) return on
    if (['false', '0'].includes(value)) return off
    return { kind: 'refused', why: 'must be true or false' }
  }
}

const POOL_SIZE = refused('is not supported: set database.connections (`connections` beside `url`)')
const PREPARES = refused('is not supported: ?prepare=false turns prepared statements off')
const PASSWORD_ELSEWHERE = refused(
  'is not supported: write the user and the password into the URL, as ${NAME} where a variable has them',
)
const HOW_TO_ENCRYPT = 'sslmode, sslrootcert, sslcert and sslkey say how to encrypt'
const TLS_ELSEWHERE = refused(`is not supported: ${HOW_TO_ENCRYPT}`)

/**
 * Parameters of libpq, of other drivers and of ours. Whatever is missing here is a setting of the server, which knows
 * best whether it exists.
 */
const RULES: Readonly<Record<string, Rule>> = {
  sslmode: oneOf(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'], KEPT),
  ssl: toggle(
    { kind: 'replaced', by: 'sslmode', value: 'require' },
    { kind: 'replaced', by: 'sslmode', value: 'disable' },
  ),
  sslrootcert: always(KEPT),
  sslcert: always(KEPT),
  sslkey: always(KEPT),
  channel_binding: oneOf(['disable', 'prefer', 'require'], KEPT),
  prepare: oneOf(['true', 'false', '1', '0'], KEPT),
  pgbouncer: toggle({ kind: 'replaced', by: 'prepare', value: 'false' }),
  schema: (value) => ({ kind: 'replaced', by: 'search_path', value: `"${value.replaceAll('"', '""')}"` }),
  target_session_attrs: oneOf(
    ['any', 'read-write', 'primary'],
    DROPPED,
    'must be any, read-write or primary: the gateway writes',
  ),
  client_encoding: (value) =>
    /^(?:utf-?8|unicode|auto)$/i.test(value) ? DROPPED : { kind: 'refused', why: 'must be UTF8' },

  user: moved('username'),
  password: moved('password'),
  port: (value) =>
    /^\d{1,5}$/.test(value) && Number(value) <= PORT_MAX
      ? { kind: 'moved', to: 'port' }
      : { kind: 'refused', why: 'must be the number of a port' },
  dbname: moved('pathname'),
  database: moved('pathname'),

  connect_timeout: always(DROPPED),
  uselibpqcompat: always(DROPPED),
  keepalives: always(DROPPED),
  keepalives_idle: always(DROPPED),
  keepalives_interval: always(DROPPED),
  keepalives_count: always(DROPPED),
  tcp_user_timeout: always(DROPPED),
  load_balance_hosts: always(DROPPED),
  sslcompression: always(DROPPED),
  sslnegotiation: always(DROPPED),
  sslsni: oneOf(['1'], DROPPED),
  gssencmode: oneOf(['disable', 'prefer'], DROPPED, 'must be disable or prefer: GSSAPI is not supported'),

  max: POOL_SIZE,
  connection_limit: POOL_SIZE,
  pool_max_conns: POOL_SIZE,
  statement_cache_size: PREPARES,
  prepared_statements: PREPARES,
  passfile: PASSWORD_ELSEWHERE,
  service: PASSWORD_ELSEWHERE,
  servicefile: PASSWORD_ELSEWHERE,
  hostaddr: refused('is not supported: write the address in the place of the host'),
  require_auth: refused('is not supported, and to ignore it would not be safe'),
  sslcrl: TLS_ELSEWHERE,
  sslcrldir: TLS_ELSEWHERE,
  sslaccept: TLS_ELSEWHERE,
  sslidentity: TLS_ELSEWHERE,
  ssl_min_protocol_version: TLS_ELSEWHERE,
  ssl_max_protocol_version: TLS_ELSEWHERE,
  krbsrvname: refused('is not supported: there is no GSSAPI'),
  replication: refused('is for replicas: take it out'),
  pool_timeout: refused('is not supported: remove it; a connection is waited for 2 s'),
  socket_timeout: refused('is not supported: remove it; a response is waited for 6 s'),
}

/** No setting of the server that a session may change is called so. */
const ABOUT_TLS = /ssl|tls/i

/**
 * What to do with a parameter of this name and (decoded) value. One that is unknown goes to the server, which refuses what
 * it does not know either. `ssl_mode` and the like would not reach it, so the connection might not be encrypted.
 */
export function verdictOn(name: string, value: string): Verdict {
  if (Object.hasOwn(RULES, name)) return RULES[name]?.(value) ?? KEPT
  if (ABOUT_TLS.test(name)) return { kind: 'refused', why: `is not known: ${HOW_TO_ENCRYPT}` }
  return KEPT
}
