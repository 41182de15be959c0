import { timestamp } from '../clock.ts';
import type { Fact, RunFact } from '../fact.ts';
import { operation, type Operation } from '../store/contract.ts';
import type { Settled } from './record.ts';
import runtimeStore from './store.ts';

/** Turns an ended run into the fact to be attested, with the rows that commit with its receipt. `firstUse`: of its Orb. */
export function factOf(run: Settled, { firstUse }: { readonly firstUse: boolean }): Fact<RunFact> {
  const fact = runFact(run);
  return { fact, operations: (receiptId) => rowsOf(run, fact, receiptId, firstUse) };
}

function runFact(run: Settled): RunFact {
  const { orb, orbiset, ending, provider, outputs, standing } = run;
  const { manifest } = orb;
  return {
    kind: 'run',
    tenant: orbiset.tenant,
    run_id: run.run_id,
    orbiset_id: orbiset.id,
    orb_id: orb.orb_id,
    mode: run.mode,
    started_at: timestamp(run.accepted_at),
    finished_at: timestamp(run.finished_at),
    execution_ms: run.execution_ms,
    status: ending.status,
    ...(ending.reason === undefined ? {} : { reason: ending.reason }),
    facts: {
      action: {
        class: manifest.action_class,
        effect: manifest.effect,
        ...(run.delivery === 'at_least_once' ? { delivery: run.delivery } : {}),
        ...(run.caller_deadline ? { caller_deadline: true } : {}),
      },
      orb: {
        manifest_digest: orb.digest,
        manifest_signed: standing.signed,
        tier: standing.tier,
        state: standing.state,
      },
      principal: run.principal.id,
      schema: { inputs: orb.inputs.absent ? 'absent' : 'valid', outputs: run.outputs_checked },
      ...(provider === undefined ? {} : { provider }),
      attempts: run.attempts,
      ...(manifest.latency_objective_ms === undefined
        ? {}
        : { latency: { objective_ms: manifest.latency_objective_ms } }),
      data: { classes: manifest.data_classes ?? [] },
      outcome: ending.outcome,
    },
    decision: run.decision,
    inputs: run.inputs,
    ...(outputs === undefined ? {} : { outputs }),
    standing,
    retention_days: { inputs: orbiset.retention_days?.inputs ?? 0, outputs: orbiset.retention_days?.outputs ?? 0 },
  };
}

function rowsOf(run: Settled, fact: RunFact, receipt_id: string, firstUse: boolean): Operation[] {
  const {
    run_id,
    tenant,
    orbiset_id,
    orb_id,
    mode,
    started_at,
    finished_at,
    execution_ms,
    status,
    reason = null,
  } = fact;
  const row = {
    run_id,
    tenant,
    orbiset_id,
    orb_id,
    mode,
    started_at,
    finished_at,
    execution_ms,
    status,
    reason,
    receipt_id,
  };
  const insert = operation(runtimeStore, 'insertRun', {
    ...row,
    principal: run.principal.id,
    provider: run.provider?.name ?? null,
  });
  return firstUse ? [operation(runtimeStore, 'useManifest', { orb_id, digest: run.orb.digest }), insert] : [insert];
}
