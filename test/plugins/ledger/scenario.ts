import type { OpenedLedger } from './opened.ts';
import { generate } from './generator.ts';
import { incidentPredicate, runPredicate, standingPredicate, timeOf, type SyntheticLog } from './synthetic-log.ts';

const other = 'notify.email@1.1.0';
const owner = { tenant: 'default', principal: 'prn_01M6B1YQ000000000000000001' };

// Appends what happens on one day: runs of two versions, incidents, resolutions, suspensions, a revoked key.
function appendDay(log: SyntheticLog, day: number): void {
  const orb = 'notify.email@1.0.0';
  const kid = day >= 12 && day < 15 ? 'bad' : 'k';
  for (const run of generate(1, 10, 4)) {
    const at = { ...run, day };
    const said = run.i === 7 && day % 3 === 0 ? { outcome: 'unknown' } : {};
    const late = run.i % 9 === 0 ? { execution_ms: 3000 } : {};
    const receipt = log.append('run', runPredicate(at, { ...said, ...late, provider: day % 5 === 4 ? 'b' : 'a' }), kid);
    // By a key that stays good, of runs of the one that is revoked too.
    if (said.outcome !== undefined) log.append('resolution', resolution(at, receipt));
  }
  if (day >= 20)
    for (const run of generate(1, 3, 2)) log.append('run', runPredicate({ ...run, day }, { orb_id: other }));
  if (day === 3) log.append('namespace', namespace(day, 'granted'));
  if (day === 5) log.append('incident', incidentPredicate('inc_1', day, { severity: 'high' }));
  if (day === 6) log.append('incident', incidentPredicate('inc_1', day, closing(day)));
  if (day === 8) log.append('standing', standingPredicate(orb, day, { change: 'published', manifest_signed: true }));
  if (day === 16) log.append('key', revoked(day, log));
  if (day === 21) log.append('standing', standingPredicate(orb, day, { change: 'suspended', reason: 'a look' }));
  if (day === 22) log.append('standing', standingPredicate(orb, day, { change: 'lifted', reason: 'seen' }));
  if (day === 40) log.append('incident', incidentPredicate('inc_2', day));
  if (day === 42) log.append('incident', incidentPredicate('inc_2', day, { ...closing(day), change: 'retracted' }));
  if (day === 25) log.append('swap', swap(orb, day));
  if (day === 30) log.rotate();
}

function resolution(run: { readonly day: number; readonly second: number; readonly caller: number }, receipt: string) {
  const { orb_id, mode, score_fact, finished_at } = runPredicate(run) as Record<string, unknown>;
  const { caller_ref } = score_fact as { caller_ref: string };
  return {
    ...{ orb_id, mode },
    score_fact: { outcome_class: 'ok', supersedes: 'orb_fault', is_self: false, caller_ref },
    facts: { outcome: 'sent', status: 'completed', by: 'operator', resolves: { receipt_id: receipt, finished_at } },
  };
}

function closing(day: number): object {
  return { change: 'changed', change_number: 2, state: 'resolved', ends_at: timeOf({ day }), deliveries: [] };
}

function namespace(day: number, change: string): object {
  return { namespace: 'notify', at: timeOf({ day }), facts: { change, owner } };
}

function revoked(day: number, log: SyntheticLog): object {
  const first = log.entries.find(({ envelope }) => envelope.payload.length > 0 && isBad(envelope.payload));
  const from = { origin: first?.origin, index: first?.index };
  return { kid: 'bad', at: timeOf({ day }), facts: { role: 'receipt', change: 'revoked', from } };
}

function isBad(payload: string): boolean {
  return Buffer.from(payload, 'base64').toString().includes('"kid":"bad"');
}

function swap(orb_id: string, day: number): object {
  return { orb_id, at: timeOf({ day }), facts: { from: 'a', to: 'b', state: 'completed' } };
}

/** Lets days pass: each is appended, and its snapshot taken. */
export async function liveThrough(log: SyntheticLog, ledger: OpenedLedger, from: number, until: number): Promise<void> {
  for (let day = from; day < until; day++) {
    appendDay(log, day);
    ledger.setDay(day + 1);
    await ledger.catchUp();
  }
}
