import { Agent, type Dispatcher } from 'undici';
import { startPlatform, type TestPlatform } from './platform.ts';
import { createRecorder, recordOrb } from './recorder.ts';

/** How big a storm is to be. */
export interface StormOptions {
  readonly swaps: number;
  readonly runs: number;
  readonly callers: number;
}

/** What a storm did. Times in milliseconds. */
export interface StormReport {
  readonly runs: number;
  readonly swaps: number;
  /** Swaps to a candidate that fails its probe, and was refused. */
  readonly refused: number;
  /** Runs that did not complete. */
  readonly failed: number;
  /** Tokens that a provider saw more than once. */
  readonly doubled: number;
  /** Completed runs whose token no provider saw. */
  readonly missing: number;
  /** Calls on a provider after its close. */
  readonly late: number;
  /** Receipts whose generation is not the opening that answered. */
  readonly mismatched: number;
  /** Openings still open beside the three of the order. */
  readonly leaked: number;
  readonly quiet: readonly [p50: number, p99: number];
  readonly stormy: readonly [p50: number, p99: number];
  /** From the call of a swap to its answer: the next run goes to the new provider. */
  readonly toEffect: number;
  readonly rollback: number;
}

const orb = 'test.record@1.0.0';
const names = ['a', 'b', 'c'];

interface Done {
  readonly token: string;
  readonly ms: number;
  readonly stormy: boolean;
  readonly opening: number | undefined;
  readonly receiptId: string | undefined;
}

/** Runs Orbs at full speed while the provider is swapped among three, and a bad candidate is tried now and then. */
export async function storm({ swaps, runs, callers }: StormOptions): Promise<StormReport> {
  const recorder = createRecorder();
  const providers = Object.fromEntries(
    [...names, 'bad'].map((name) => [name, { adapter: 'record/local', config: { name } }]),
  );
  recorder.behaviour['bad'] = { probe: () => Promise.reject(new Error('bad')) };
  const platform = await startPlatform({
    platform: { providers, bindings: { [orb]: names } },
    data: { [`orbs/${orb}.json`]: recordOrb() },
    adapters: [recorder.adapter],
  });
  const dispatcher = new Agent({ connections: callers });
  const client = createClient(platform, dispatcher);
  try {
    const done: Done[] = [];
    const phase = { stormy: false, over: false, next: 0 };
    const load = Promise.all(Array.from({ length: callers }, () => call(client, done, phase, runs)));
    await until(() => done.length >= runs / 5);
    phase.stormy = true;
    const times = await swapAround(client, swaps, Math.ceil(swaps / 20));
    await until(() => done.filter(({ stormy }) => stormy).length >= runs / 2);
    phase.stormy = false;
    const rollback = await timed(() => client('POST', `/providers/${orb}/rollback`));
    await load;
    const mismatched = await compareReceipts(client, done);
    const seen = new Map<string, number>();
    for (const { token } of recorder.calls) seen.set(token, (seen.get(token) ?? 0) + 1);
    const completed = done.filter(({ receiptId }) => receiptId !== undefined);
    const pick = (stormy: boolean) => percentiles(done.filter((run) => run.stormy === stormy).map(({ ms }) => ms));
    return {
      runs: done.length,
      swaps: times.swaps.length,
      refused: times.refused,
      failed: done.length - completed.length,
      doubled: [...seen.values()].filter((count) => count > 1).length,
      missing: completed.filter(({ token }) => !seen.has(token)).length,
      late: recorder.lateCalls.length,
      mismatched,
      leaked: recorder.open.size - names.length,
      quiet: pick(false),
      stormy: pick(true),
      toEffect: percentiles(times.swaps)[0],
      rollback: rollback.ms,
    };
  } finally {
    await dispatcher.close();
    await platform.stop();
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers of any shape are looked into
type Client = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<{ status: number; body: any }>;

function createClient({ url, adminKey }: TestPlatform, dispatcher: Dispatcher): Client {
  return async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${adminKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const options = {
      origin: url,
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const response = await dispatcherRequest(dispatcher, options);
    return response;
  };
}

async function dispatcherRequest(
  dispatcher: Dispatcher,
  options: Dispatcher.RequestOptions,
): Promise<{ status: number; body: unknown }> {
  const { statusCode, body } = await dispatcher.request(options);
  return { status: statusCode, body: await body.json() };
}

async function call(
  client: Client,
  done: Done[],
  phase: { stormy: boolean; next: number },
  runs: number,
): Promise<void> {
  while (phase.next < runs) {
    const token = `t${phase.next++}`;
    const { stormy } = phase;
    const { ms, value } = await timed(() =>
      client('POST', '/orbisets/default/execute', { orb_id: orb, inputs: { token } }),
    );
    const ok = value.status === 200;
    done.push({
      token,
      ms,
      stormy,
      opening: ok ? value.body.outputs.opening : undefined,
      receiptId: ok ? value.body.receipt.receipt_id : undefined,
    });
  }
}

async function swapAround(client: Client, count: number, bad: number): Promise<{ swaps: number[]; refused: number }> {
  const swaps: number[] = [];
  let refused = 0;
  for (let n = 0; n < count; n++) {
    if (n % Math.ceil(count / bad) === 0) {
      const { status } = await client('POST', `/providers/${orb}/swap`, { provider: 'bad' });
      if (status === 502) refused++;
    }
    const provider = names[(n + 1) % names.length];
    const { ms, value } = await timed(() => client('POST', `/providers/${orb}/swap`, { provider }));
    if (value.status === 200) swaps.push(ms);
  }
  return { swaps, refused };
}

// A generation and an opening of the provider must name each other, in every receipt.
async function compareReceipts(client: Client, done: readonly Done[]): Promise<number> {
  const openings = new Map<number, number>();
  let mismatched = 0;
  for (const { receiptId, opening } of done) {
    if (receiptId === undefined || opening === undefined) continue;
    const { body } = await client('GET', `/receipts/${receiptId}`);
    const generation = Number(body.statement.predicate.facts.attempts[0].generation);
    const known = openings.get(generation);
    if (known === undefined) openings.set(generation, opening);
    else if (known !== opening) mismatched++;
  }
  return mismatched + (openings.size - new Set(openings.values()).size);
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const begun = performance.now();
  const value = await work();
  return { ms: performance.now() - begun, value };
}

function percentiles(figures: readonly number[]): readonly [number, number] {
  const sorted = [...figures].sort((a, b) => a - b);
  return [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted[Math.floor(sorted.length * 0.99)] ?? 0];
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setImmediate(resolve));
}
