import { compile, within } from '../../../kernel/index.ts';
import type { ProviderError } from '../../../kernel/adapter.ts';
import assert from 'node:assert/strict';
import { onBench, type Bench } from './bench.ts';
import { expectNone, outputsSchema } from './expectation.ts';
import { settleMs } from './leak.ts';
import type { Check, ConformanceOptions, Fault } from './options.ts';

/** Checks what an adapter reports when the other side fails: the right outcome, once, without a retry. */
export function faultChecks(options: ConformanceOptions): readonly Check[] {
  const { faults = [], hang } = options;
  const checks = faults.map((fault) => ({
    title: `says ${[fault.outcome].flat().join(' or ')} once, without a retry: ${fault.name}`,
    run: () => onBench(options, (bench) => meets(bench, fault, options)),
  }));
  if (hang === undefined) return checks;
  const title = 'returns soon after the signal, when the other side hangs';
  return [...checks, { title, run: () => onBench(options, (bench) => settles(bench, hang)) }];
}

async function meets(bench: Bench, fault: Fault, options: ConformanceOptions): Promise<void> {
  const config = await fault.arrange();
  try {
    const handle = await bench.open(config).catch((error: unknown) => {
      if (fault.mayNotOpen === true) return undefined;
      throw error;
    });
    if (handle === undefined) return;
    const before = bench.receiver?.calls?.() ?? 0;
    const call = bench.execute(handle, fault.inputs === undefined ? {} : { inputs: fault.inputs });
    const error = fault.mayAnswer === true ? await answeredOr(call, bench, options) : await bench.failure(call);
    if (error !== undefined) expectOutcome(error, fault);
    fault.expect?.();
    const { receiver } = bench;
    if (receiver?.calls !== undefined && fault.calls !== undefined)
      assert.equal(receiver.calls() - before, fault.calls, 'calls that arrived: an adapter never retries');
  } finally {
    await fault.restore?.();
  }
}

async function answeredOr(
  call: Promise<Record<string, unknown>>,
  bench: Bench,
  { orb }: ConformanceOptions,
): Promise<ProviderError | undefined> {
  const [settled] = await Promise.allSettled([call]);
  if (settled.status === 'rejected') return bench.failure(call);
  expectNone(compile(outputsSchema(orb))(settled.value), "it returned outputs that break the Orb's schema");
  return undefined;
}

function expectOutcome(error: ProviderError, fault: Pick<Fault, 'outcome' | 'phase' | 'reason'>): void {
  const { outcome, phase, retry_after } = error;
  const right = [fault.outcome].flat();
  assert.ok(right.includes(outcome), `said ${outcome} (${error.message}), not ${right.join(' or ')}`);
  if (fault.phase !== undefined) assert.equal(phase, fault.phase, 'phase');
  if (fault.reason !== undefined) assert.equal(error.reason, fault.reason, 'reason');
  if (outcome === 'throttled') assert.ok((retry_after ?? 0) > 0, 'throttled says retry_after, in seconds');
  if (outcome === 'unknown') assert.equal(typeof phase, 'string', 'unknown says its phase: where it broke');
}

async function settles(bench: Bench, hang: NonNullable<ConformanceOptions['hang']>): Promise<void> {
  const { stuck, restore, outcome, config } = hang();
  try {
    const deadline = new AbortController();
    const call = bench.failure(bench.execute(await bench.open(config), { signal: deadline.signal }));
    await Promise.race([stuck, call]);
    deadline.abort();
    const error = await within(settleMs, call, () => assert.fail(`did not return within ${settleMs} ms of the signal`));
    expectOutcome(error, { outcome });
  } finally {
    restore();
  }
}
