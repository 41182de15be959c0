import journalStore, { type KeyName, type KeyRow } from './store.ts';
import type { Awaitable, Store } from '../../../kernel/index.ts';

type Found = KeyRow | undefined;

interface Asked {
  readonly name: KeyName;
  resolve(row: Found): void;
  reject(error: unknown): void;
}

/** Makes the lookup of a key in a store: in a file at once, in a database together with others. */
export function keyLookup(store: Store): (name: KeyName) => Awaitable<Found> {
  const { findKey, findKeys } = store.reads(journalStore);
  return store.place.address === undefined ? findKey : gatheredLookup(async (names) => findKeys(names));
}

// As many as there are threads that read.
const mostUnderWay = 2;

/**
 * Makes the lookup of keys in a database: those that are asked for in one turn of the event loop, or while others are
 * read, are read together, because each read is a round trip.
 */
export function gatheredLookup(
  read: (names: readonly KeyName[]) => Promise<readonly KeyRow[]>,
): (name: KeyName) => Promise<Found> {
  let waiting: Asked[] = [];
  let underWay = 0;
  let scheduled = false;
  const answer = async (all: readonly Asked[]): Promise<void> => {
    try {
      const rows = await read(all.map(({ name }) => name));
      const byName = new Map(rows.map((row) => [textOf(row), row]));
      for (const { name, resolve } of all) resolve(byName.get(textOf(name)));
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  };
  const send = async (): Promise<void> => {
    scheduled = false;
    if (waiting.length === 0 || underWay >= mostUnderWay) return;
    const all = waiting;
    waiting = [];
    underWay++;
    await answer(all);
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

function textOf({ principal, method, path, key }: KeyName): string {
  return JSON.stringify([principal, method, path, key]);
}
