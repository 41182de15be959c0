import { Agent, request, type RequestOptions } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** What callers who do no harm got from a server in some seconds. */
export interface Spell {
  /** Runs per second. */
  readonly rate: number;
  /** How long /health took on a connection of its own, ms, in order. */
  readonly health: readonly number[];
  /** How long /health of a static server took that shares the core, ms, in order. */
  readonly beside: readonly number[];
  readonly failed: readonly string[];
}

const callers = 4;
const probeMs = 20;

/** Whom the callers call, and the static server next to it, if there is one. */
export interface Servers {
  readonly url: string;
  readonly key: string;
  readonly besideUrl?: string;
}

/**
 * Executes Orbs, each caller one after the other, and asks for liveness next to that. `most`: runs per second, unless
 * the callers ask as fast as they can.
 */
export async function measure({ url, key, besideUrl }: Servers, seconds: number, most = Infinity): Promise<Spell> {
  const { hostname: host, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const end = performance.now() + seconds * 1000;
  const health: number[] = [];
  const beside: number[] = [];
  const failed: string[] = [];
  let runs = 0;
  const body = Buffer.from(JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'hello' } }));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length };
  const run: RequestOptions = { host, port, agent, method: 'POST', path: '/orbisets/default/execute', headers };
  const pauseMs = (callers * 1000) / most;
  const caller = async (): Promise<void> => {
    for (
      let due = performance.now();
      performance.now() < end;
      due = Math.max(due + pauseMs, performance.now() - pauseMs)
    ) {
      if (due > performance.now()) await delay(due - performance.now());
      const status = await ask(run, body);
      if (status === '200') runs += 1;
      else failed.push(`run: ${status}`);
    }
  };
  const probe = async (address: URL, times: number[]): Promise<void> => {
    const begun = performance.now();
    const status = await ask({ host: address.hostname, port: address.port, agent: false, path: '/health' });
    if (status !== '200') failed.push(`/health: ${status}`);
    times.push(status === '200' ? performance.now() - begun : Infinity);
  };
  const probes: Promise<void>[] = [];
  const prober = async (): Promise<void> => {
    for (; performance.now() < end; await delay(probeMs)) {
      probes.push(probe(new URL(url), health));
      if (besideUrl !== undefined) probes.push(probe(new URL(besideUrl), beside));
    }
    await Promise.all(probes);
  };
  await Promise.all([prober(), ...Array.from({ length: callers }, caller)]);
  agent.destroy();
  const [own, others] = [health, beside].map((times) => times.sort((a, b) => a - b)) as [number[], number[]];
  return { rate: runs / seconds, health: own, beside: others, failed };
}

function ask(options: RequestOptions, body?: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const call = request(options, (answer) => {
      answer.resume().once('end', () => resolve(String(answer.statusCode)));
      answer.once('error', ({ message }) => resolve(message));
    });
    call.once('error', ({ message }) => resolve(message));
    call.end(body);
  });
}
