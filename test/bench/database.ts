import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { PostgresServer } from '../helpers/postgres.ts';

/** Makes a database, and the variables with which a server keeps its store there. */
export async function storeIn(database: PostgresServer, name: string, url = database.url(name)) {
  await database.client(name);
  return { ORB_STORE_URL: url, ORB_MASTER_KEY: randomUUID().replaceAll('-', '').repeat(2) };
}

/** CPU time of a database server so far, in microseconds: its own, that of its children, and that of those that have ended. */
export function databaseMicros(pid: number): number {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const ticks = processes.map((name) => {
    const fields = statOf(name);
    if (name !== String(pid)) return fields[1] === String(pid) ? Number(fields[11]) + Number(fields[12]) : 0;
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  });
  return ticks.reduce((sum, used) => sum + used, 0) * 10_000;
}

// After the name: state, parent, …; a process may end while it is looked at.
function statOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  } catch {
    return [];
  }
}
