import { columnOf, replacing } from './column.ts';
import type { Claim, Connection, Row, Taker, Value } from '../contract.ts';

/** Prepares the claims of a store module on an engine that answers at once. Throws for a claim that is not listed. */
export function takingOf(
  connection: Connection,
  claims: readonly Claim[],
): (claim: Claim, taker: Taker) => Row | undefined {
  const prepared = new Map(claims.map((claim) => [claim, prepareClaim(connection, claim)]));
  return (claim, taker) => {
    const take = prepared.get(claim);
    if (take === undefined) throw new Error(`the claim of ${claim.table} is not among the claims of its store`);
    return take(taker);
  };
}

/** The texts of a claim: the key, the rows that depend on it, and the row that has it. Both engines take them. */
export function claimTexts({ table, columns, key, holder, givenUp, dependents = [] }: Claim) {
  const taken = givenUp === undefined ? `ON CONFLICT (${key.join(', ')}) DO NOTHING` : replacing(key, columns);
  const condition = givenUp === undefined ? '' : ` WHERE ${givenUp}`;
  return {
    take: `${insert(table, columns)} VALUES (${places(columns)}) ${taken}${condition} RETURNING ${holder}`,
    dependents: dependents.map((one) => `${insert(one.table, one.columns)} VALUES (${places(one.columns)})`),
    found: `SELECT ${columns.join(', ')} FROM ${table} WHERE ${key.map((name) => `${name} = ?`).join(' AND ')}`,
  };
}

/** Renders a claim as one statement of PostgreSQL for `claimValues`: it answers the taker when it has the key. */
export function claimStatement(claim: Claim): string {
  const { take } = claimTexts(claim);
  const rows = (claim.dependents ?? []).map(
    ({ table, columns }, index) => `row_${index} AS (${insert(table, columns)} SELECT ${places(columns)} FROM won)`,
  );
  return `WITH ${[`won AS (${take})`, ...rows].join(', ')} SELECT ${claim.holder} FROM won`;
}

/** Lists the values of a claim in the order of its texts: the key's row with the condition's, then each dependent's. */
export function claimValues(
  { columns, dependents = [] }: Claim,
  { row, givenUp = [], dependents: rows = [] }: Taker,
): { readonly take: readonly Value[]; readonly dependents: readonly (readonly Value[])[] } {
  return {
    take: [...columns.map((name) => columnOf(row[name])), ...givenUp],
    dependents: dependents.map((one, index) => one.columns.map((name) => columnOf(rows[index]?.[name]))),
  };
}

function prepareClaim(connection: Connection, claim: Claim): (taker: Taker) => Row | undefined {
  const texts = claimTexts(claim);
  const take = connection.prepare(texts.take);
  const inserts = texts.dependents.map((text) => connection.prepare(text));
  const found = connection.prepare(texts.found);
  return (taker) => {
    const values = claimValues(claim, taker);
    if (take.get(...values.take) !== undefined) {
      inserts.forEach((one, index) => one.run(...(values.dependents[index] ?? [])));
      return undefined;
    }
    const row = found.get(...claim.key.map((name) => columnOf(taker.row[name])));
    if (row === undefined) throw new Error(`a key of ${claim.table} is neither free nor taken`);
    return row[claim.holder] === columnOf(taker.row[claim.holder]) ? undefined : row;
  };
}

function insert(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')})`;
}

function places(columns: readonly string[]): string {
  return columns.map(() => '?').join(', ');
}
