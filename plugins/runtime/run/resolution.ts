import type { RuntimeHooks } from '../facts/hooks.ts';
import type { DeliveryReports, SettleReported } from '../facts/reports.ts';
import { believesAbsent } from '../dispatch/look-up.ts';
import type { Bindings } from '../provider/bindings.ts';
import type { RunReads } from './listing/list.ts';
import { runParams, runSchema, shown } from './run-routes.ts';
import type { StoredAnswer } from '../journal/answer.ts';
import journalStore from '../journal/store.ts';
import runtimeStore, { type RunRow, type RuntimeReads } from '../store.ts';
import { silentCalls } from '../tables/unsettled.ts';
import type { ResolutionFact } from '../facts/facts.ts';
import {
  type PluginScope,
  exactly,
  given,
  optional,
  requireLive,
  type Principal,
  timestamp,
  PlatformError,
  type Attestation,
  defineRoute,
  type Route,
  operation,
  type Operation,
  type Store,
  every,
  type Held,
} from '../../../kernel/index.ts';

/** The dependencies of resolving. */
export interface ResolveOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'log'> {
  readonly reads: RunReads;
  readonly hooks: RuntimeHooks;
  readonly bindings: Bindings;
  readonly store: Pick<Store, 'peers' | 'shared'>;
  /** What vendors reported; undefined: no plugin takes it. */
  readonly reports: DeliveryReports | undefined;
}

/** The later result of a run whose outcome was unknown. */
export type Resolution = Omit<ResolutionFact['facts'], 'status'> & Pick<ResolutionFact, 'note'>;

/**
 * Attests the resolution of a run and settles it, both or neither. Throws 409 `resolution_conflict` unless it is
 * indeterminate.
 */
async function resolveRun(
  run: RunRow,
  resolution: Resolution,
  { hooks, clock }: Pick<ResolveOptions, 'hooks' | 'clock'>,
): Promise<Attestation> {
  if (run.status !== 'indeterminate')
    throw new PlatformError(
      'resolution_conflict',
      `${run.run_id} is ${run.status}; only an indeterminate run can be resolved`,
    );
  const { outcome, by, principal, note } = resolution;
  const status = outcome === 'sent' ? 'completed' : 'failed';
  const { tenant, run_id, orbiset_id, orb_id, mode, silent } = run;
  const fact: ResolutionFact = {
    ...{ kind: 'resolution', tenant, at: timestamp(clock.now()), run_id, orbiset_id, orb_id, mode },
    facts: { outcome, status, by, ...given({ principal }) },
    ...given({ note }),
  };
  const operations = (resolution_id: string) => [
    operation(runtimeStore, 'resolveRun', { run_id, status, resolution: resolution_id, silent }),
    settledRepeat(run, outcome, clock.now()),
  ];
  return hooks.attest({ fact, operations });
}

// A repeated call gets the resolved result, or may run if the first one was not done.
function settledRepeat({ run_id }: RunRow, outcome: Resolution['outcome'], now: number): Operation {
  if (outcome === 'not_sent') return operation(journalStore, 'freeRepeats', { run_id });
  const detail = `${run_id} was already resolved as done; nothing was done now`;
  const answer: StoredAnswer = { code: 'run_settled', detail, extensions: { run_id, run_status: 'completed' } };
  return operation(journalStore, 'settleRepeats', { run_id, answer: JSON.stringify(answer), expires_at: now + dayMs });
}

const dayMs = 86_400_000;

/** Answers `POST /runs/{run_id}/resolve`. */
export function resolveRoute(options: ResolveOptions): Route {
  return defineRoute({
    method: 'POST',
    path: '/runs/{run_id}/resolve',
    operationId: 'resolveRun',
    service: 'runtime',
    scope: 'runs:resolve',
    summary: 'Resolve a run with an unknown outcome; the resolution gets a receipt',
    params: runParams,
    body: exactly('ResolveRequest', {
      outcome: { enum: ['sent', 'not_sent'], description: 'Whether the effect happened' },
      note: optional({
        type: 'string',
        minLength: 1,
        maxLength: 2000,
        description: 'How you know it; the receipt contains a commitment to this text',
      }),
    }),
    response: runSchema,
    problems: ['run_not_found', 'resolution_conflict', 'storage_unavailable'],
    handle: async ({ params: { run_id }, body, principal }) => {
      const { outcome, note } = body;
      const run = await ownRun(options.reads, run_id, principal);
      if (run.mode === 'live') requireLive(principal, `${run_id} is a live run`);
      const said = { outcome, by: 'operator' as const, principal: principal.id, ...given({ note }) };
      const { receipt_id } = await resolveRun(run, said, options);
      return shown({ ...run, status: outcome === 'sent' ? 'completed' : 'failed', resolution: receipt_id });
    },
  });
}

async function ownRun(reads: RunReads, runId: string, { scopes, tenant }: Principal): Promise<RunRow> {
  const run = await reads.findRun(runId);
  if (run !== undefined && (scopes.includes('*') || run.tenant === tenant)) return run;
  throw new PlatformError(
    'run_not_found',
    `there is no run ${runId}; GET /runs?status=indeterminate lists the runs to resolve`,
  );
}

const everyMs = 60_000;
const atOnce = 20;
const lookupMs = 5000;

/**
 * Asks providers, slowly and in the background, for the results of indeterminate runs; settles those that can be known.
 * One node does it at a time.
 */
export function resolveInBackground(options: ResolveOptions): {
  readonly now: () => Promise<number>;
  readonly stop: Held['stop'];
} {
  // A round begins where the last one ended: runs that cannot be resolved must not keep the others from their turn.
  let before: string | undefined;
  const now = async (): Promise<number> => {
    const filter = { tenant: undefined, orb_id: undefined, before, status: 'indeterminate', limit: atOnce };
    const { items: runs, next } = await options.reads.listRuns(filter);
    before = next;
    let settled = 0;
    for (const run of runs) if (await lookUp(run, options).catch(failed)) settled++;
    return settled;
  };
  const failed = (err: unknown): false => {
    options.log.warn({ err }, 'indeterminate runs could not be looked up');
    return false;
  };
  return { now, stop: options.store.peers.whenHeld('look-ups', () => every(everyMs, now, failed)).stop };
}

async function lookUp(run: RunRow, options: ResolveOptions): Promise<boolean> {
  if (await settleByReport(run, options)) return true;
  const outcome = await outcomeOf(run, options);
  if (outcome === undefined) return false;
  await resolveRun(run, { outcome, by: 'lookup' }, options);
  options.log.info({ run_id: run.run_id, found: outcome === 'sent' }, 'a look-up resolved an indeterminate run');
  return true;
}

// One provider with the dispatch proves it; its absence must be confirmed by each unanswered provider.
async function outcomeOf(run: RunRow, { bindings, clock, store }: ResolveOptions) {
  const { orb_id, reason, started_at: since } = run;
  const calls = silentCalls(run);
  const orb = bindings.find(orb_id)?.orb;
  const settles =
    reason !== 'interrupted' || (orb !== undefined && believesAbsent(store, { ...orb, since }, clock.now()));
  let known = calls.length > 0 && settles;
  for (const { key, provider: name } of calls) {
    const slot = bindings.orderOf(orb_id).find(({ provider }) => provider.name === name);
    const found = await slot?.generation?.transport.lookup(key, lookupMs);
    if (found === undefined) known = false;
    else if (found !== 'absent') return 'sent';
  }
  return known ? 'not_sent' : undefined;
}

/** Makes the function that settles runs by what vendors reported. */
export function settlesReported(
  options: ResolveOptions & { readonly unsettled: Pick<RuntimeReads, 'findUnsettled'> },
): SettleReported {
  const runOf = async (asked: Parameters<SettleReported>[0]): Promise<RunRow | undefined> => {
    const { run_id } = 'run_id' in asked ? asked : ((await options.unsettled.findUnsettled(asked.key)) ?? {});
    const run = run_id === undefined ? undefined : await options.reads.findRun(run_id);
    // A key counts only for the provider that it was made for.
    const named = 'run_id' in asked || silentCalls(run ?? nobody).some(({ provider }) => provider === asked.provider);
    return named ? run : undefined;
  };
  return async (asked) => {
    const run = await runOf(asked);
    return run !== undefined && settleByReport(run, options);
  };
}

const nobody = { run_id: '', silent: null };

// The report is the provider's own word, as the answer to a look-up is; the note names it.
async function settleByReport(run: RunRow, options: ResolveOptions): Promise<boolean> {
  if (run.status !== 'indeterminate') return false;
  const { run_id } = run;
  const proof = (await options.reports?.of(silentCalls(run)))?.proof;
  if (proof === undefined) return false;
  const note = `delivery report ${proof.delivery_id} ${proof.digest}`;
  try {
    await resolveRun(run, { outcome: 'sent', by: 'lookup', note }, options);
  } catch (error) {
    // A person, a look-up or another node was faster.
    if (error instanceof PlatformError && error.code === 'resolution_conflict') return false;
    throw error;
  }
  options.log.info({ run_id, delivery_id: proof.delivery_id }, 'a delivery report resolved an indeterminate run');
  return true;
}
