import type { Connection, NodeIdentity, Row, Store } from '../../../kernel/index.ts';

/** A connection that reads at once, or when the writer's turn has come. */
interface Reading<R> {
  prepare(sql: string): { all(...values: readonly string[]): R };
}

/** Who wrote a row that must be settled when its process dies: the node, and which start of it. */
export interface Owner {
  readonly node: string;
  readonly incarnation: string;
}

/** A row as it is stored; those of earlier versions have no owner. */
export type Owned<T> = Omit<T, keyof Owner> & { readonly [K in keyof Owner]?: string | null };

/** Whose rows are read: those that earlier starts of this node left, or those of one process that has ended. */
export interface Asking extends Pick<Store, 'node' | 'shared'> {
  /** The incarnation of the process that has ended. */
  readonly ended?: string;
}

/** Asks, by plain values alone, for what earlier starts of this node left, or what another process left that has ended. */
export function askingOf({ node, shared }: Pick<Store, 'node' | 'shared'>, ended?: NodeIdentity): Asking {
  return ended === undefined ? { node, shared } : { node, shared, ended: ended.incarnation };
}

/** Says who writes rows from here. */
export function ownerOf({ node }: Pick<Store, 'node'>): Owner {
  return { node: node.name, incarnation: node.incarnation };
}

/**
 * Prepares the read of the rows that one process left that has ended; else of those that earlier starts of this node left,
 * with those that have no owner. Where no other process can have the store open, rows under another name are its own too:
 * the node was called so before. `select` ends with a condition.
 */
export function leftRows<R>(connection: Reading<R>, select: string, order: string): (asking: Asking) => R {
  const earlier = '(incarnation IS NULL OR incarnation <> ?)';
  const alone = connection.prepare(`${select} AND ${earlier} ORDER BY ${order}`);
  const among = connection.prepare(`${select} AND ${earlier} AND (node IS NULL OR node = ?) ORDER BY ${order}`);
  const of = connection.prepare(`${select} AND incarnation = ? ORDER BY ${order}`);
  return ({ node: { incarnation, name }, shared, ended }) => {
    if (ended !== undefined) return of.all(ended);
    return shared ? among.all(incarnation, name) : alone.all(incarnation);
  };
}

/** Prepares the list of what such rows hold. */
export function listLeft<T>(
  connection: Connection,
  { select, order, read }: { readonly select: string; readonly order: string; readonly read: (row: Row) => T },
): (asking: Asking) => T[] {
  const left = leftRows(connection, select, order);
  return (asking) => left(asking).map(read);
}
