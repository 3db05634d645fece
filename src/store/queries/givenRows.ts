import { sql, type RawBuilder } from 'kysely'

export type ColumnType = 'text' | 'bigint'

/**
 * Rows as one parameter: a table named `given`. The statement is the same however many there are, and is prepared once.
 * @param locks whether the engine is Postgres
 */
export function givenRows<Name extends string>(
  locks: boolean,
  values: readonly Readonly<Record<Name, string | number | null>>[],
  columns: Readonly<Record<Name, ColumnType>>,
): RawBuilder<unknown> {
  const text = JSON.stringify(values)
  const entries = Object.entries<ColumnType>(columns)
  if (locks) {
    const list = entries.map(([name, type]) => `${name} ${type}`).join(', ')
    // By way of text: the driver would take the parameter of a JSON type for a value yet to be written as JSON.
    return sql`json_to_recordset(${text}::text::json) as given (${sql.raw(list)})`
  }
  const list = entries.map(([name]) => `value ->> '${name}' as ${name}`).join(', ')
  return sql`(select ${sql.raw(list)} from json_each(${text})) as given`
}
