import { Pool } from 'undici';
import type { Delivery, Source } from './pagerduty.ts';
import { cpuMicros, type Target } from './server.ts';

/** What sending deliveries as fast as they are taken came to; times in milliseconds. */
export interface Burst {
  /** Ids of those that were acknowledged as new. */
  readonly acknowledged: readonly string[];
  /** Answers of any other kind, by status. */
  readonly refused: ReadonlyMap<number, number>;
  readonly took: number;
  readonly p50: number;
  readonly p99: number;
  /** From the last acknowledgement until none waited. */
  readonly folded: number;
  /** Of the server per delivery, until all were folded. */
  readonly cpuMicros: number;
}

/** Sends deliveries over some connections, each a sender that waits for its answer, and waits until all are folded. */
export async function sendBurst(
  target: Target,
  source: Source,
  deliveries: readonly Delivery[],
  connections: number,
): Promise<Burst> {
  const pool = new Pool(target.url, { connections, pipelining: 1 });
  const waits: number[] = [];
  const acknowledged: string[] = [];
  const refused = new Map<number, number>();
  const queue = deliveries.values();
  const sender = async (): Promise<void> => {
    for (const { body, headers } of queue) {
      const begun = performance.now();
      const answer = await pool.request({ method: 'POST', path: source.path, headers, body });
      const told = (await answer.body.json()) as { readonly delivery_id?: string };
      waits.push(performance.now() - begun);
      if (answer.statusCode === 202 && told.delivery_id !== undefined) acknowledged.push(told.delivery_id);
      else refused.set(answer.statusCode, (refused.get(answer.statusCode) ?? 0) + 1);
    }
  };
  const [cpu, begun] = [cpuMicros(target.pid), performance.now()];
  await Promise.all(Array.from({ length: connections }, sender));
  const last = performance.now();
  await pool.close();
  await allFolded(target, source);
  const sorted = waits.sort((a, b) => a - b);
  return {
    ...{ acknowledged, refused, took: last - begun, folded: performance.now() - last },
    ...{ p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 },
    cpuMicros: (cpuMicros(target.pid) - cpu) / deliveries.length,
  };
}

const longestMs = 300_000;

async function allFolded(target: Target, source: Source): Promise<void> {
  for (const end = performance.now() + longestMs; performance.now() < end;) {
    const { deliveries } = await list(target, `source_id=${source.id}&state=queued&limit=1`);
    if (deliveries.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('deliveries wait for longer than five minutes');
}

/** Reads the ids and states of all deliveries of a source back. */
export async function readBack(target: Target, source: Source): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  let cursor: string | undefined;
  do {
    const more = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await list(target, `source_id=${source.id}&limit=100${more}`);
    for (const { delivery_id, state } of page.deliveries) found.set(delivery_id, state);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return found;
}

interface Page {
  readonly deliveries: readonly { readonly delivery_id: string; readonly state: string }[];
  readonly next_cursor?: string;
}

async function list({ url, key }: Target, query: string): Promise<Page> {
  const response = await fetch(`${url}/deliveries?${query}`, { headers: { authorization: `Bearer ${key}` } });
  if (!response.ok) throw new Error(`deliveries cannot be listed: ${await response.text()}`);
  return (await response.json()) as Page;
}
