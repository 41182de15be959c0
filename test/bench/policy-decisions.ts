import type { AccessRequest } from '../../kernel/access.ts';
import { systemClock } from '../../kernel/tools/clock.ts';
import { silentLog } from '../../kernel/tools/log.ts';
import { createMetrics } from '../../kernel/tools/metrics.ts';
import { activeOf, createDecider, createTally, entrypointOf } from '../../plugins/policy/decide/decider.ts';
import { createBreaker } from '../../plugins/policy/evaluator/breaker.ts';
import { evaluatorOf } from '../../plugins/policy/evaluator/evaluate.ts';
import { createPool } from '../../plugins/policy/evaluator/pool.ts';
import { readShipped } from '../../plugins/policy/shipped.ts';
import { smokeInputs } from '../../plugins/policy/toolchain/sample-questions.ts';
import { WebAssembly } from '../../plugins/policy/evaluator/web-assembly.ts';

interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

type Decide = () => unknown;

/** Prints how many decisions the engine makes in process: straight, through a thread, from the cache. */
export async function policyDecisions(seconds: number): Promise<void> {
  const shipped = readShipped();
  const module = await WebAssembly.compile(shipped.wasm);
  const data = JSON.stringify(shipped.data);
  const pool = createPool({ threads: 2, deadlineMs: 1000, queue: { all: 1000, each: 1000 } });
  pool.load({ revision: shipped.digest, module, data });
  const { revision: _, ...context } = (smokeInputs.execute[0] as AccessRequest).context;
  const asked: AccessRequest = { ...(smokeInputs.execute[0] as AccessRequest), context };
  const decider = (caching: boolean): Decide => {
    const parts = { breaker: createBreaker(systemClock), clock: systemClock, tally: createTally(createMetrics()) };
    const made = createDecider({ ...parts, pool, log: silentLog, caching });
    made.use(activeOf(shipped.digest, shipped));
    return () => made.decide(asked);
  };
  const evaluator = evaluatorOf({ module, data });
  const text = JSON.stringify(smokeInputs.execute[0]);
  const question = { entrypoint: entrypointOf('execute'), input: text, time_ns: '1767225600000000000' };
  const straight: Decide = () => evaluator.evaluate(question);
  const rows: readonly (readonly [string, Decide, number])[] = [
    ['evaluation alone, this thread', straight, 1],
    ['decision without cache, one at a time', decider(false), 1],
    ['decision without cache, 64 at a time', decider(false), 64],
    ['decision from the cache', decider(true), 1],
  ];
  console.log('\nDecisions in process, the shipped policies          per s  of straight    p50 µs    p99 µs');
  let base = 0;
  for (const [name, decide, atOnce] of rows) {
    await measure(decide, atOnce, 0.3);
    const { perSecond, p50, p99 } = await measure(decide, atOnce, seconds);
    base ||= perSecond;
    const cells = [
      perSecond.toFixed(0).padStart(9),
      `${((perSecond / base) * 100).toFixed(0)} %`.padStart(12),
      p50.toFixed(1).padStart(9),
      p99.toFixed(1).padStart(9),
    ];
    console.log(`  ${name.padEnd(46)}${cells.join(' ')}`);
  }
  await pool.stop();
}

async function measure(decide: Decide, atOnce: number, seconds: number): Promise<Measured> {
  const took: number[] = [];
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const caller = async (): Promise<void> => {
    for (let at = performance.now(); at < end;) {
      const answer = decide();
      // A decision that is known at once is not waited for: the kernel does not either.
      if (answer instanceof Promise) await answer;
      const now = performance.now();
      took.push((now - at) * 1000);
      at = now;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  const perSecond = took.length / ((performance.now() - begun) / 1000);
  const sorted = Float64Array.from(took).sort();
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { perSecond, p50: at(0.5), p99: at(0.99) };
}
