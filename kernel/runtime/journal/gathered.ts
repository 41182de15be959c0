import type { Awaitable, Store } from '../../store/contract.ts';
import journalStore, { type KeyName, type KeyRow } from './store.ts';

/** A key without what the caller gave: all keys of one route and caller have the same. */
export type KeyPlace = Omit<KeyName, 'key'>;

type Reading = (place: KeyPlace, keys: readonly string[]) => Promise<readonly KeyRow[]>;

interface Asked {
  readonly name: KeyName;
  resolve(row: KeyRow | undefined): void;
  reject(error: unknown): void;
}

/** Makes the lookup of a key in a store: in a file at once, in a database together with others. */
export function keyLookup(store: Store): (name: KeyName) => Awaitable<KeyRow | undefined> {
  const { findKey, findKeys } = store.reads(journalStore);
  return store.place.address === undefined ? findKey : gatheredLookup(async (place, keys) => findKeys(place, keys));
}

// As many as there are threads that read.
const mostUnderWay = 2;

/**
 * Makes the lookup of keys in a database: those that are asked for in one turn of the event loop, or while others are
 * read, are read together, because each read is a round trip.
 */
export function gatheredLookup(read: Reading): (name: KeyName) => Promise<KeyRow | undefined> {
  let waiting: Asked[] = [];
  let underWay = 0;
  let scheduled = false;
  const readSome = async (some: readonly Asked[]): Promise<void> => {
    try {
      const [{ name: place }] = some as [Asked];
      const rows = await read(
        place,
        some.map(({ name }) => name.key),
      );
      const byKey = new Map(rows.map((row) => [row.key, row]));
      for (const { name, resolve } of some) resolve(byKey.get(name.key));
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  };
  const send = async (): Promise<void> => {
    scheduled = false;
    if (waiting.length === 0 || underWay >= mostUnderWay) return;
    const places = Map.groupBy(waiting, ({ name }) => JSON.stringify([name.principal, name.method, name.path]));
    waiting = [];
    underWay++;
    await Promise.all([...places.values()].map(readSome));
    underWay--;
    void send();
  };
  return (name) =>
    new Promise((resolve, reject) => {
      waiting.push({ name, resolve, reject });
      if (scheduled) return;
      scheduled = true;
      setImmediate(() => void send());
    });
}
