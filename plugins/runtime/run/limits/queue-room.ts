import { PlatformError, type WriteConnection } from '../../../../kernel/index.ts';

/**
 * Most runs that wait, of one tenant and of all, and most bytes of one tenant's requests. One principal gets at most half
 * of its tenant's.
 */
export const bounds = { tenantRuns: 20_000, runs: 100_000, tenantBytes: 128 * 1024 * 1024 } as const;

/** Whose run it is. */
export interface Owner {
  readonly tenant: string;
  readonly principal: string;
}

const all = '';

/** Counts the runs that wait, in the table `queue_tenants`: of all tenants, of each tenant, of each principal. */
export function queueRoom(connection: WriteConnection) {
  const counted = connection.prepare('SELECT runs, bytes FROM queue_tenants WHERE tenant = ?');
  const count = connection.prepare(
    `INSERT INTO queue_tenants (tenant, runs, bytes) VALUES (?, ?, ?) ON CONFLICT (tenant) DO UPDATE
     SET runs = queue_tenants.runs + excluded.runs, bytes = queue_tenants.bytes + excluded.bytes`,
  );
  const forget = connection.prepare('DELETE FROM queue_tenants WHERE tenant = ? AND runs <= 0');
  const numbersOf = async (name: string): Promise<{ readonly runs: number; readonly bytes: number }> => {
    const row = await counted.get(name);
    return { runs: Number(row?.['runs'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) };
  };
  return {
    /** Counts a change; a principal has a row while it has runs. */
    add(owner: Owner, runs: number, bytes: number): void {
      for (const name of [owner.tenant, all, nameOf(owner)]) count.queue(name, runs, bytes);
      if (runs < 0) forget.queue(nameOf(owner));
    },
    /** Returns how many runs of its tenant wait before one with a request of so many bytes. Throws 429 `queue_full`. */
    async before(owner: Owner, bytes: number): Promise<number> {
      const { tenantBytes, tenantRuns } = bounds;
      const own = await numbersOf(owner.tenant);
      if (own.runs >= tenantRuns || own.bytes + bytes > tenantBytes)
        throw full('too many runs of this tenant are waiting');
      // A principal may use at most as much as it leaves free, so that it cannot fill the queue of its tenant alone.
      const caller = await numbersOf(nameOf(owner));
      if (caller.runs >= tenantRuns - own.runs || caller.bytes + bytes > tenantBytes - own.bytes)
        throw full('too many runs of this caller are waiting');
      if ((await numbersOf(all)).runs >= bounds.runs) throw full('too many runs are waiting');
      return own.runs;
    },
  };
}

// No name of a tenant has a space.
function nameOf({ tenant, principal }: Owner): string {
  return `${tenant} ${principal}`;
}

function full(detail: string): PlatformError {
  return new PlatformError('queue_full', `${detail}; wait as Retry-After says`, { retry_after: 5 });
}
