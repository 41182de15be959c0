import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

/** One answer of `/health`: when it was asked, in milliseconds of the epoch, and how long it took. */
export interface Beat {
  readonly at: number;
  readonly took: number;
}

const everyMs = 4;

/** Says the time that threads have in common, in milliseconds. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** Begins to ask servers for `/health` every few milliseconds, on a thread of its own; what it resolves to ends that. */
export function startBeats(urls: readonly string[]): () => Promise<readonly (readonly Beat[])[]> {
  const worker = new Worker(new URL(import.meta.url), { workerData: urls });
  const ended = new Promise<readonly (readonly Beat[])[]>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return () => {
    worker.postMessage('end');
    return ended;
  };
}

async function beat(url: string, ended: () => boolean): Promise<readonly Beat[]> {
  const pool = new Pool(url, { connections: 1 });
  const beats: Beat[] = [];
  while (!ended()) {
    const at = now();
    const answer = await pool.request({ method: 'GET', path: '/health' });
    await answer.body.dump();
    beats.push({ at, took: now() - at });
    await delay(everyMs);
  }
  await pool.close();
  return beats;
}

if (parentPort !== null) {
  const port = parentPort;
  let over = false;
  port.once('message', () => (over = true));
  port.postMessage(await Promise.all((workerData as readonly string[]).map((url) => beat(url, () => over))));
}
