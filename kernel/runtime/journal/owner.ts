import type { Connection, Row, Store, Value } from '../../store/contract.ts';

/** Who wrote a row that must be settled when its process dies: the node, and which start of it. */
export interface Owner {
  readonly node: string;
  readonly incarnation: string;
}

/** A row as it is stored; those of earlier versions have no owner. */
export type Owned<T> = Omit<T, keyof Owner> & { readonly [K in keyof Owner]?: string | null };

/** Whose rows are read: those of this start of the node. */
export type Asking = Pick<Store, 'node' | 'shared'>;

/** Names this start of the node as a question of a read does: plain values alone. */
export function askingOf({ node, shared }: Asking): Asking {
  return { node, shared };
}

/** Says who writes rows from here. */
export function ownerOf({ node }: Pick<Store, 'node'>): Owner {
  return { node: node.name, incarnation: node.incarnation };
}

/**
 * Prepares a list of the rows that earlier starts of this node left, with those that have no owner. Where no other
 * process can have the store open, rows under another name are its own too: the node was called so before. `select` ends
 * with a condition.
 */
export function listLeft<T>(
  connection: Connection,
  { select, order, read }: { readonly select: string; readonly order: string; readonly read: (row: Row) => T },
): (asking: Asking) => T[] {
  const earlier = '(incarnation IS NULL OR incarnation <> ?)';
  const alone = connection.prepare(`${select} AND ${earlier} ORDER BY ${order}`);
  const among = connection.prepare(`${select} AND ${earlier} AND (node IS NULL OR node = ?) ORDER BY ${order}`);
  return ({ node, shared }) => {
    const own: Value[] = [node.incarnation];
    return (shared ? among.all(...own, node.name) : alone.all(...own)).map(read);
  };
}
