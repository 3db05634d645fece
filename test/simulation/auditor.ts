import type { Settlement } from '../../src/core/ports/till.ts'
import type { CallerRequest } from './caller.ts'
import { LEDGER_PLACES, ledgerPlaces } from '../../src/store/ledgerPlaces.ts'
import { type Cell, type Inspector, integer, type Row } from '../support/inspector.ts'
import { createLedgerReplay } from './ledgerReplay.ts'
import type { Network, UpstreamCall } from './network.ts'
import {
  cameOf,
  costOfAnswer,
  costOfMost,
  costByPrompt,
  costOfText,
  promptsOf,
  type Came,
  textOf,
} from './oracle.ts'
import { PROVIDER_WITHOUT_N } from './shop.ts'
import type { SpendModel } from './spendModel.ts'
import type { WindowModel } from './windowModel.ts'

/** Looks at the database after every step and says what cannot be. */
export interface Auditor {
  /** A settlement was committed; its record is looked at next time. */
  settled(settlement: Settlement): void
  /** The process never heard whether a step of this request was committed. */
  doubted(id: string): void
  audit(): Promise<void>
  /** After the last step: what only holds when nothing is under way. */
  close(): Promise<void>
  readonly figures: AuditFigures
}

export interface AuditFigures {
  records: number
  charges: number
  writeoffs: number
  /** Charges of answers that were not sent. */
  refunds: number
  estimated: number
  readonly endings: Map<string, number>
}

export interface AuditorOptions {
  readonly inspector: Inspector
  readonly network: Network
  readonly windows: WindowModel
  readonly spend: SpendModel
  readonly requestOf: (id: string) => CallerRequest | undefined
  readonly requests: () => Iterable<CallerRequest>
  readonly wrong: (what: string) => void
}

const ANSWERED = new Set(['completed', 'length', 'content_filter', 'hold_exhausted'])
const FREE = new Set([
  'provider_failed_before_answer',
  'provider_failed',
  'timeout',
  'gateway_failed',
  'refused',
])

/** What comes after the last place that was read, in each ledger, and the ledgers that nobody has read yet. */
function unread(lasts: readonly bigint[]): string {
  const next = BigInt(lasts.length) * LEDGER_PLACES
  const rests = lasts.map((last) => `sequence > ${last} and sequence <= ${ledgerPlaces(last).last}`)
  return [...rests, `sequence >= ${next}`].join(' or ')
}

export function createAuditor(options: AuditorOptions): Auditor {
  const { inspector, network, windows, spend, requestOf, wrong } = options
  const ledger = createLedgerReplay(wrong, spend.isLimited)
  const records = new Map<string, Row>()
  const doubts = new Set<string>()
  /** By key and month. */
  const spent = new Map<string, bigint>()
  let fresh: string[] = []
  /** Settled anew, because their answers were not sent. */
  const retaken = new Set<string>()
  const figures: AuditFigures = {
    records: 0,
    charges: 0,
    writeoffs: 0,
    refunds: 0,
    estimated: 0,
    endings: new Map(),
  }

  /** Of one moment: on a slow machine a settlement may be committed while the tables are read. */
  function audit(): Promise<void> {
    return inspector.atOneMoment(auditTables)
  }

  async function auditTables(): Promise<void> {
    const transfers = await inspector.rows(
      `select * from transfers where ${unread(ledger.lasts)} order by sequence`,
    )
    for (const transfer of transfers) ledger.take(transfer)
    await auditRecords()
    const holds = await inspector.rows('select * from holds')
    await auditWorkspaces(holds)
    await auditKeys(holds)
  }

  async function auditRecords(): Promise<void> {
    const ids = fresh.filter((id) => !records.has(id) || retaken.has(id))
    fresh = []
    if (ids.length === 0) return
    const list = ids.map((id) => `'${id}'`).join(',')
    const rows = await inspector.rows(`select * from usage_records where id in (${list})`)
    if (rows.length !== new Set(ids).size)
      wrong(`${ids.join(', ')} were settled, ${rows.length} have a record`)
    for (const row of rows) {
      const id = String(row['id'])
      const before = records.get(id)
      if (before && !retaken.has(id)) wrong(`${id} has two usage records`)
      if (before && integer(before['charge']) > 0n) figures.refunds++
      if (retaken.has(id) && integer(row['charge']) > 0n) wrong(`${id} was not sent, and its charge stands`)
      records.set(id, row)
      auditRecord(id, row)
      const month = new Date(Number(row['started_at'])).toISOString().slice(0, 7)
      const place = `${String(row['key_id'])} ${month}`
      const more = integer(row['charge']) - (before ? integer(before['charge']) : 0n)
      spent.set(place, (spent.get(place) ?? 0n) + more)
    }
    retaken.clear()
  }

  function auditRecord(id: string, row: Row): void {
    const charge = integer(row['charge'])
    const writeoff = integer(row['writeoff'])
    const posted = ledger.request(id)
    if ((posted?.charge ?? 0n) !== charge)
      wrong(`${id}: the record says ${charge}, the ledger ${posted?.charge}`)
    const writtenOff = posted?.refunded ? 0n : (posted?.writeoff ?? 0n)
    if (writtenOff !== writeoff) wrong(`${id}: the record's writeoff is not the ledger's`)
    const ending = String(row['ending'])
    figures.records++
    figures.endings.set(ending, (figures.endings.get(ending) ?? 0) + 1)
    if (charge > 0n) figures.charges++
    if (writeoff > 0n) figures.writeoffs++
    if (row['usage_source'] === 'estimated' && charge > 0n) figures.estimated++

    const request = requestOf(id)
    if (!request) return wrong(`${id} was settled and nobody asked for it`)
    const cost = charge + writeoff
    const may = costsOf(request, ending)
    if (!may.some(({ from, to }) => from <= cost && cost <= to)) {
      const wanted = may.map(({ from, to }) => (from === to ? from : `${from}…${to}`)).join(' or ')
      wrong(`${id} (request ${request.number}, ${ending}) costs ${cost}, the oracle says ${wanted}`)
    }
  }

  function costsOf(request: CallerRequest, ending: string): { from: bigint; to: bigint }[] {
    const { asked } = request
    const calls = network.callsOf(request.number)
    if (FREE.has(ending)) return [exactly(0n)]
    if (ending === 'client_left_before_answer') {
      if (!request.left) wrong(`request ${request.number} did not leave`)
      const prompts = promptsSent(calls, asked.choices)
      if (prompts === 0) return [exactly(0n)]
      const from = costOfText(asked, prompts, '')
      const parallel = calls.at(-1)?.provider === PROVIDER_WITHOUT_N ? asked.choices : 1
      const own = joinedCalls(calls, parallel)
      // The output of an answer that is asked whole may have been made unseen; a stream would have shown it.
      if (calls.at(-1)?.stream === false) {
        const came = own.map((call) => cameOf(call, 1))
        return [
          {
            from: least(from, costByPrompt(asked, promptsOf(came), '')),
            to: costOfMost(asked, prompts, came),
          },
        ]
      }
      if (parallel > 1) {
        // What had come of those that had begun, and what they had reported by then.
        const doubtful = doubtfulCalls(calls).map((call) => cameOf(call, 1))
        const cuts = everyCut(own).map((cut) => cut.map((call) => cameOf(call, 1)))
        return [
          exactly(from),
          ...cuts.map((cut) => ({
            from: least(from, costByPrompt(asked, promptsOf(cut), '')),
            to: most(
              costByPrompt(asked, [...cut, ...doubtful], cut.map(textOf).join('')),
              costOfAnswer(asked, cut),
            ),
          })),
        ]
      }
      // What was reported before the first text is charged as reported.
      const last = calls.slice(-1)
      const reports = [last, ...everyReport(last)].map((cut) =>
        cut.map((call) => cameOf(call, asked.choices)),
      )
      return [exactly(from), ...reports.map((cut) => exactly(costOfAnswer(asked, cut)))]
    }
    const parallel = calls.at(-1)?.provider === PROVIDER_WITHOUT_N ? asked.choices : 1
    const own = joinedCalls(calls, parallel)
    const came = own.map((call) => cameOf(call, parallel === 1 ? asked.choices : 1))
    const byReport = costOfAnswer(asked, came)
    const text = came.map(textOf).join('')
    const byCount = costOfText(asked, own.length, text)
    // The first report after its caller has left is the last that is read, and text may come after it.
    const cutBehindReports = everyReport(own).map((calls) =>
      calls.map((call) => cameOf(call, parallel === 1 ? asked.choices : 1)),
    )
    const byPrompt = [came, ...cutBehindReports].map((cut) => ({
      from: least(costByPrompt(asked, promptsOf(cut), ''), costOfText(asked, own.length, '')),
      to: costByPrompt(asked, cut, text),
    }))
    if (ending === 'request_at_fault') {
      if (own.length === 1) wrong(`request ${request.number} is charged, and its only call failed`)
      return byPrompt.map(({ to }) => ({ from: costOfText(asked, 1, ''), to }))
    }
    if (ending === 'client_left') {
      if (!request.left && !request.dawdles) wrong(`request ${request.number} did not leave`)
      const reported = cutBehindReports.map((cut) => exactly(costOfAnswer(asked, cut)))
      const bounds = { from: costOfText(asked, own.length, ''), to: byCount }
      const doubtful = doubtfulCalls(calls)
      const besides = [...came, ...doubtful.map((call) => cameOf(call, 1))]
      const withDoubtful = { from: bounds.from, to: costByPrompt(asked, besides, text) }
      return [...reported, exactly(byReport), bounds, ...byPrompt, withDoubtful]
    }
    // Usage that several calls report counts when all have; a call cut short may not come to that.
    // What goes beyond the hold is not passed on, and not counted.
    if (ending === 'hold_exhausted') {
      return [exactly(byReport), { from: costOfText(asked, own.length, ''), to: byCount }, ...byPrompt]
    }
    if (!came.every(({ whole }) => whole)) wrong(`request ${request.number} is ${ending}, its answer was cut`)
    auditContent(
      request,
      came,
      own.some((call) => isRepeated(calls, call)),
    )
    return [exactly(byReport)]
  }

  /** The calls, each cut behind one of its reports: every combination. */
  function everyReport(calls: readonly UpstreamCall[]): UpstreamCall[][] {
    return combined(calls.map(cutsOf))
  }

  /** The same, where each may also have come to its end, or to nothing. */
  function everyCut(calls: readonly UpstreamCall[]): UpstreamCall[][] {
    return combined(calls.map((call) => [{ ...call, delivered: [] }, ...cutsOf(call), call]))
  }

  function cutsOf(call: UpstreamCall): UpstreamCall[] {
    return call.delivered.flatMap(({ kind }, at) =>
      kind === 'usage' ? [{ ...call, delivered: call.delivered.slice(0, at + 1) }] : [],
    )
  }

  function combined(each: readonly UpstreamCall[][]): UpstreamCall[][] {
    return each.reduce<UpstreamCall[][]>(
      (combinations, cuts) => combinations.flatMap((before) => cuts.map((cut) => [...before, cut])),
      [[]],
    )
  }

  /** Kept with the request until its caller has seen the end. */
  const whole = new Map<number, { readonly texts: [number, string][]; readonly repeated: boolean }>()
  function auditContent(request: CallerRequest, came: readonly Came[], repeated: boolean): void {
    const texts =
      came.length === 1
        ? [...(came[0]?.texts ?? [])].sort(([a], [b]) => a - b)
        : came.map((one, index): [number, string] => [index, one.texts.get(0) ?? ''])
    whole.set(request.number, { texts: texts.filter(([, text]) => text !== ''), repeated })
  }

  async function auditWorkspaces(holds: readonly Row[]): Promise<void> {
    const open = new Map<string, bigint>()
    for (const hold of holds) {
      const workspace = String(hold['workspace_id'])
      const amount = integer(hold['amount'])
      open.set(workspace, (open.get(workspace) ?? 0n) + amount)
      const posted = ledger.workspace(workspace).holds.get(String(hold['id'])) ?? 0n
      if (posted !== amount) wrong(`${String(hold['id'])} holds ${amount}, by the ledger ${posted}`)
    }
    for (const row of await inspector.rows('select * from workspaces')) {
      const id = String(row['id'])
      const [balance, held] = [integer(row['balance']), integer(row['held'])]
      const replayed = ledger.workspace(id)
      if (balance < 0n || held < 0n || held > balance) wrong(`${id} has ${balance} and holds ${held}`)
      if (balance !== replayed.balance) wrong(`${id} has ${balance}, the ledger's sum is ${replayed.balance}`)
      if (held !== replayed.held) wrong(`${id} holds ${held}, the ledger's sum is ${replayed.held}`)
      if (held !== (open.get(id) ?? 0n))
        wrong(`${id} holds ${held}, its open holds are ${open.get(id) ?? 0n}`)
      auditWindow(`${id} minute`, row['minute_opened_at'], row['minute_count'])
    }
  }

  async function auditKeys(holds: readonly Row[]): Promise<void> {
    const calls = new Map<string, bigint>()
    const held = new Map<string, bigint>()
    for (const hold of holds) {
      const key = String(hold['key_id'])
      calls.set(key, (calls.get(key) ?? 0n) + 1n)
      const place = `${key} ${String(hold['month'])}`
      held.set(place, (held.get(place) ?? 0n) + integer(hold['amount']))
    }
    for (const row of await inspector.rows('select * from key_counters')) {
      const id = String(row['key_id'])
      if (integer(row['open_calls']) !== (calls.get(id) ?? 0n)) {
        wrong(`${id} has ${String(row['open_calls'])} open calls, its holds are ${calls.get(id) ?? 0n}`)
      }
      auditWindow(`${id} minute`, row['minute_opened_at'], row['minute_count'])
      auditWindow(`${id} day`, row['day_opened_at'], row['day_count'])
    }
    for (const row of await inspector.rows('select * from key_spend')) {
      const place = `${String(row['key_id'])} ${String(row['month'])}`
      if (integer(row['held']) !== (held.get(place) ?? 0n)) {
        wrong(`${place}: ${String(row['held'])} held, the open holds are ${held.get(place) ?? 0n}`)
      }
      if (integer(row['spent']) !== (spent.get(place) ?? 0n)) {
        wrong(`${place}: ${String(row['spent'])} spent, the charges are ${spent.get(place) ?? 0n}`)
      }
      const limit = spend.limitOf(place)
      const used = integer(row['spent']) + integer(row['held'])
      if (limit !== undefined && used > limit) wrong(`${place}: ${used} of a limit of ${limit}`)
    }
  }

  function auditWindow(name: string, opened: Cell, count: Cell): void {
    if (opened === null || count === null) return
    const model = windows.countOf(name)
    if (model?.opened !== Number(opened) || model.count !== Number(count)) {
      wrong(
        `${name}: ${String(count)} since ${String(opened)}, counted ${model?.count} since ${model?.opened}`,
      )
    }
  }

  async function close(): Promise<void> {
    await audit()
    const [row] = await inspector.rows('select count(*) as number from usage_records')
    if (integer(row?.['number']) !== BigInt(records.size)) {
      wrong(`${String(row?.['number'])} usage records, ${records.size} settlements`)
    }
    for (const [id, { charge }] of ledger.charged) {
      if (!records.has(id)) wrong(`${id} was charged ${charge} and has no usage record`)
    }
    for (const hold of await inspector.rows('select id from holds'))
      wrong(`${String(hold['id'])} is still held`)
    for (const request of options.requests()) auditView(request)
  }

  /** What a caller has seen against what is in the books. */
  function auditView(request: CallerRequest): void {
    const { view, number } = request
    const record = records.get(request.id)
    const paid = record ? integer(record['charge']) : 0n
    switch (view.kind) {
      case 'open':
        return wrong(`request ${number} never ended`)
      case 'whole':
      case 'streamed': {
        if (view.kind === 'whole' && view.replayed) {
          if (record) wrong(`request ${number} was a replay and has a record of its own`)
          return
        }
        if (!record) return wrong(`request ${number} was answered and is not in the books`)
        if (!ANSWERED.has(String(record['ending']))) {
          return wrong(`request ${number} was answered and booked as ${String(record['ending'])}`)
        }
        const came = whole.get(number)
        if (!came) return
        // Which choice a repeated call made is not seen on the network.
        const written = (texts: [number, string][]): string =>
          JSON.stringify(came.repeated ? texts.map(([, text]) => text).toSorted() : texts)
        const [seen, texts] = [written(textsOf(view)), written(came.texts)]
        if (texts !== seen) wrong(`request ${number} was told ${seen}, not ${texts}`)
        return
      }
      case 'cut':
      case 'refused':
        if (request.dawdles && record?.['ending'] === 'client_left') return
        if (saysSo(view) && record?.['ending'] === 'request_at_fault') return
        // A process that lives finds out what became of its settlement.
        if (paid > 0n && (request.node.isAlive || !doubts.has(request.id))) {
          const how =
            view.kind === 'refused' ? `${view.status} ${view.code}` : `cut at ${view.body.slice(-300)}`
          wrong(`request ${number} failed (${how}) and was charged ${paid} as ${String(record?.['ending'])}`)
        }
        return
      case 'left':
      case 'lost':
        return
    }
  }

  return {
    settled({ id, refunds }) {
      fresh.push(id)
      if (refunds) retaken.add(id)
    },
    doubted: (id) => void doubts.add(id),
    audit,
    close,
    figures,
  }
}

/** The most prompts that one attempt has sent: one, or several where choices are made by parallel calls. */
function promptsSent(calls: readonly UpstreamCall[], choices: number): number {
  const sent = calls.filter((call) => call.sent)
  const attempts = new Map<unknown, number>()
  for (const { attempt, provider } of sent) {
    if (choices > 1 && provider === PROVIDER_WITHOUT_N)
      attempts.set(attempt, (attempts.get(attempt) ?? 0) + 1)
  }
  return Math.min(choices, Math.max(Math.min(sent.length, 1), ...attempts.values()))
}

/** The calls whose answers became one: of several parallel ones, those of the last attempt that were sent, and that no rate limit refused. */
function joinedCalls(calls: readonly UpstreamCall[], parallel: number): readonly UpstreamCall[] {
  const last = calls.at(-1)
  if (parallel === 1 || !last) return calls.slice(-1)
  return calls.filter((call) => call.attempt === last.attempt && call.sent && call.status !== 429)
}

/** Calls of the last attempt that were made as its caller left: they may have been sent, or not. */
function doubtfulCalls(calls: readonly UpstreamCall[]): UpstreamCall[] {
  return calls.filter((call) => call.attempt === calls.at(-1)?.attempt && !call.sent && call.aborted)
}

/** Whether a call of its attempt was refused by a rate limit and made again. */
function isRepeated(calls: readonly UpstreamCall[], { attempt }: UpstreamCall): boolean {
  return calls.some((call) => call.attempt === attempt && call.status === 429)
}

/** A stream that broke off after others of its calls had answered. */
function saysSo(view: CallerRequest['view']): boolean {
  return view.kind === 'cut' && view.body.includes('What was generated until then is charged.')
}

function least(...costs: readonly bigint[]): bigint {
  return costs.reduce((a, b) => (a < b ? a : b))
}

function most(...costs: readonly bigint[]): bigint {
  return costs.reduce((a, b) => (a > b ? a : b))
}

function exactly(cost: bigint): { from: bigint; to: bigint } {
  return { from: cost, to: cost }
}

interface ChoiceBody {
  readonly index: number
  readonly message?: { readonly content?: string | null }
  readonly delta?: { readonly content?: string | null }
}

/** The texts of an answer by choice, as its caller reads them. */
function textsOf(view: { readonly kind: 'whole' | 'streamed'; readonly body: string }): [number, string][] {
  const bodies =
    view.kind === 'whole'
      ? [view.body]
      : view.body
          .split('\n\n')
          .filter((event) => event.startsWith('data: {'))
          .map((event) => event.slice('data: '.length))
  const texts = new Map<number, string>()
  for (const body of bodies) {
    for (const choice of (JSON.parse(body) as { choices: ChoiceBody[] }).choices) {
      const text = choice.message?.content ?? choice.delta?.content ?? ''
      texts.set(choice.index, (texts.get(choice.index) ?? '') + text)
    }
  }
  return [...texts].filter(([, text]) => text !== '').sort(([a], [b]) => a - b)
}
