import { createMetrics } from '../../../kernel/tools/metrics.ts';
import { silentLog } from '../../../kernel/tools/log.ts';
import { systemClock, type Clock } from '../../../kernel/tools/clock.ts';
import type { AccessRequest } from '../../../kernel/access.ts';
import type { ApprovalGroups } from '../../../plugins/approvals/contract.ts';
import type { Action } from '../../../plugins/policy/contract.ts';
import {
  activeOf,
  createDecider,
  createTally,
  type Decided,
  type Decider,
} from '../../../plugins/policy/decide/decider.ts';
import { createBreaker } from '../../../plugins/policy/evaluator/breaker.ts';
import { createPool, type Pool, type PoolOptions } from '../../../plugins/policy/evaluator/pool.ts';
import { gate } from '../../../plugins/policy/folder/gate.ts';
import type { Revision } from '../../../plugins/policy/revisions/revision.ts';
import { smokeInputs } from '../../../plugins/policy/toolchain/sample-questions.ts';
import { buildRevision, type Built } from '../../../plugins/policy/toolchain/build.ts';
import { createCompiler, type Compiler } from '../../../plugins/policy/toolchain/compiler.ts';
import { WebAssembly } from '../../../plugins/policy/evaluator/web-assembly.ts';

/** The engine's parts without a server: a real compiler, real threads. */
export interface Workbench {
  readonly compiler: Compiler;
  readonly pool: Pool;
  build(files: Readonly<Record<string, string>>): Promise<Built>;
  /** Builds files that must be good. */
  revision(files: Readonly<Record<string, string>>): Promise<Revision>;
  /** Makes a decider of a revision. */
  decider(revision: Revision, options?: { readonly caching?: boolean }): Promise<Decider>;
  stop(): Promise<void>;
}

/** A policy that allows whatever has an action. */
export const allowing = 'package orb.policies.base\n\nallow if input.action.name\n';

const bounds: PoolOptions = { threads: 1, deadlineMs: 1000, queue: { all: 1000, each: 1000 } };

/** Makes a workbench with the compiler at a path. `limitMs`: what a call may take when that is less than the product allows. */
export function createWorkbench(path: string, limitMs = Infinity, groups?: ApprovalGroups): Workbench {
  const started = createCompiler(path, { groups });
  const compiler: Compiler = {
    ...started,
    call: (request, deadlineMs, how) => started.call(request, Math.min(deadlineMs, limitMs), how),
  };
  const pool = createPool(bounds);
  const build = (files: Readonly<Record<string, string>>): Promise<Built> =>
    buildRevision(
      compiler,
      pool,
      gate(Object.entries(files).map(([name, source]) => ({ path: name, bytes: new TextEncoder().encode(source) }))),
    );
  return {
    compiler,
    pool,
    build,
    async revision(files) {
      const { revision, diagnostics } = await build(files);
      if (revision === undefined) throw new Error(JSON.stringify(diagnostics, null, 1));
      return revision;
    },
    async decider(revision, { caching = false } = {}) {
      const decider = deciderOn(pool, { caching, groups });
      await load(pool, revision);
      decider.use(activeOf(revision.digest, revision));
      return decider;
    },
    async stop() {
      await Promise.all([compiler.stop(), pool.stop()]);
    },
  };
}

/** Loads a revision into a pool. */
export async function load(pool: Pool, { digest, wasm, data }: Revision): Promise<void> {
  pool.load({ revision: digest, module: await WebAssembly.compile(wasm), data: JSON.stringify(data) });
}

/** Makes a decider on a pool. */
export function deciderOn(
  pool: Pool,
  {
    caching = false,
    clock = systemClock,
    groups,
  }: {
    readonly caching?: boolean;
    readonly clock?: Clock;
    readonly groups?: ApprovalGroups | undefined;
  } = {},
): Decider {
  const tally = createTally(createMetrics());
  return createDecider({ pool, breaker: createBreaker(clock), clock, tally, log: silentLog, caching, groups });
}

/** A good question of an action, changed as a test wants it. */
export function question(action: Action, change: (envelope: Envelope) => void = () => undefined): AccessRequest {
  const envelope = structuredClone(smokeInputs[action][0]) as Envelope;
  delete envelope.context['revision'];
  change(envelope);
  return envelope as unknown as AccessRequest;
}

/** An envelope that a test may change. */
export interface Envelope {
  subject: Record<string, unknown>;
  action: Record<string, unknown>;
  resource: Record<string, unknown>;
  context: Record<string, unknown>;
}

/** Says what a decision came to in a word: `allow`, or the codes of its reasons. */
export async function outcome(decided: Decided | Promise<Decided>): Promise<string> {
  const { verdict } = await decided;
  if (verdict.asks !== undefined) return `ask ${verdict.asks.map(({ code }) => code).join(' ')}`;
  return verdict.allow ? 'allow' : (verdict.reasons ?? []).map(({ code }) => code).join(' ');
}
