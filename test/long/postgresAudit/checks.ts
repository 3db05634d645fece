/** One thing that must be true of the books, as a query for what contradicts it. */
export interface Check {
  /** What must be true. */
  readonly name: string
  /** Selects one text for each contradiction. */
  readonly query: string
  /** Whether it may be untrue while calls, or settlements in the background, are still under way. */
  readonly onlyAtRest?: true
}

/**
 * What the queries read beside the tables of the books. `lines`: the ledger with the effect of each line. `calls`: what
 * remains of the charge of each call.
 */
export const PREPARATION: readonly string[] = [
  `create temp table lines on commit drop as select *,
    case kind when 'topup' then amount when 'refund' then amount when 'charge' then -amount when 'adjust' then -amount
      when 'hold' then 0 when 'extend' then 0 when 'release' then 0 when 'writeoff' then 0 end as effect,
    case kind when 'hold' then amount when 'extend' then amount when 'release' then -amount else 0 end as held_effect
    from transfers`,
  `create temp table calls on commit drop as select request_id as id,
    count(*) filter (where kind = 'charge') as charges, count(*) filter (where kind = 'refund') as refunds,
    -sum(effect) as cost
    from lines where request_id is not null group by request_id`,
]

/** Plain SQL, and nothing of the gateway's own code: who audits must not share the mistakes of whom is audited. */
export const CHECKS: readonly Check[] = [
  {
    name: 'an answered call has exactly one charge, and keeps it',
    query: `select id || ': ' || coalesce(charges, 0) || ' charges, ' || coalesce(refunds, 0) || ' refunds'
      from answered left join calls using (id) where coalesce(charges, 0) <> 1 or refunds <> 0`,
  },
  {
    name: 'an answered call costs what its provider reported',
    query: `select id || ': ' || coalesce(calls.cost, 0) from answered left join calls using (id), expected
      where coalesce(calls.cost, 0) <> expected.cost`,
  },
  {
    name: 'an answered call has exactly one usage record',
    query: `select id || ': ' || count(model) from answered left join usage_records using (id)
      group by id having count(model) <> 1`,
  },
  {
    name: 'a refused call costs nothing',
    onlyAtRest: true,
    query: `select id || ': ' || cost from refused join calls using (id) where cost <> 0`,
  },
  {
    name: 'no more calls are charged than were answered or cut off',
    onlyAtRest: true,
    query: `select count(*) || ' charged, ' || expected.cut || ' cut off' from calls, expected
      where calls.cost <> 0 and not exists (select from answered where answered.id = calls.id)
        and not exists (select from refused where refused.id = calls.id)
      group by expected.cut having count(*) > expected.cut`,
  },
  {
    name: 'no call is charged twice, nor refunded twice',
    query: `select id || ': ' || charges || ' charges, ' || refunds || ' refunds' from calls
      where charges > 1 or refunds > 1`,
  },
  {
    name: 'a usage record says what the ledger says',
    query: `select id || ': ' || coalesce(usage_records.charge::text, 'no record') || ' and ' || coalesce(calls.cost, 0)
      from usage_records full join calls using (id) where coalesce(usage_records.charge, 0) <> coalesce(calls.cost, 0)`,
  },
  {
    name: 'a balance is the sum of its transfers',
    query: `select workspaces.id || ': ' || workspaces.balance || ' and ' || coalesce(sum(effect), 0)
      from workspaces left join lines on workspace_id = workspaces.id
      group by workspaces.id, workspaces.balance having workspaces.balance <> coalesce(sum(effect), 0)`,
  },
  {
    name: 'each line has the balance after it',
    query: `select workspace_id || ' at ' || sequence from (
        select workspace_id, sequence, balance, sum(effect) over (partition by workspace_id order by sequence) as running
        from lines) as ledger where balance <> running`,
  },
  {
    name: 'a ledger has no gaps, and its workspace knows where it ends',
    query: `select workspace_id || ' after ' || sequence from (
        select workspace_id, sequence,
          lead(sequence) over (partition by workspace_id order by sequence) as next,
          (select last_transfer from workspaces where id = workspace_id) as last
        from lines) as ledger where coalesce(next <> sequence + 1, last is distinct from sequence)`,
  },
  {
    name: 'every line is of a known kind',
    query: `select workspace_id || ' at ' || sequence || ': ' || kind from lines where effect is null`,
  },
  {
    name: 'nothing is below zero, and no more is held than there is',
    query: `select id from workspaces where balance < 0 or held < 0 or held > balance
      union all select workspace_id || ' at ' || sequence from lines where balance < 0 or amount < 0
      union all select id from holds where amount < 0
      union all select key_id from key_spend where spent < 0 or held < 0`,
  },
  {
    name: 'what is held is the sum of the open holds, in the workspace and in its ledger',
    query: `select id || ': ' || held || ', ' || open || ' and ' || entered from (
        select id, held,
          (select coalesce(sum(amount), 0) from holds where workspace_id = workspaces.id) as open,
          (select coalesce(sum(held_effect), 0) from lines where workspace_id = workspaces.id) as entered
        from workspaces) as accounts where held <> open or held <> entered`,
  },
  {
    name: 'what a key has spent is what its records charge',
    query: `select id from keys
      where (select coalesce(sum(charge), 0) from usage_records where key_id = keys.id)
        <> (select coalesce(sum(spent), 0) from key_spend where key_id = keys.id)`,
  },
  {
    name: 'a key has as many open calls as holds',
    query: `select key_id || ': ' || open_calls from key_counters
      where open_calls <> (select count(*) from holds where holds.key_id = key_counters.key_id)`,
  },
  {
    name: 'nothing is held for nobody',
    onlyAtRest: true,
    query: `select id from holds`,
  },
]
