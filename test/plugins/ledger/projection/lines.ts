import type {
  IncidentLine,
  NamespaceLine,
  ResolutionLine,
  RunLine,
  StandingLine,
} from '../../../../plugins/ledger/fact/line.ts';
import { Projection } from '../../../../plugins/ledger/projection/projection.ts';
import { stateOf } from '../../../../plugins/ledger/projection/state.ts';
import { Summing } from '../../../../plugins/ledger/projection/tallies.ts';

/** The Orb that the lines are of. */
export const orb_id = 'acme.tool@1.0.0';
/** When everything happens. */
export const at = '2026-11-20T10:00:00.000Z';
/** Place and key of a line. */
export const head = { origin: 'o', index: 0, receipt_id: 'rec_1', signed_by: 'k1' };
/** A change of standing. */
export const standing = (change: StandingLine['change'], more: Partial<StandingLine> = {}): StandingLine => ({
  ...{ ...head, kind: 'standing', at, orb_id, change },
  ...more,
});
/** An open critical incident of integrity. */
export const incident = (more: Partial<IncidentLine> = {}): IncidentLine => ({
  ...{ ...head, kind: 'incident', at, incident_id: 'inc_1', change: 'opened', change_number: 1, state: 'open' },
  ...{ severity: 'critical', reason: 'integrity', starts_at: at, deliveries: [] },
  scope: [{ kind: 'orb', id: orb_id }],
  ...more,
});
/** A good run. */
export const run = (more: Partial<RunLine> = {}): RunLine => ({
  ...{ ...head, kind: 'run', orb_id, mode: 'live', is_self: false, caller_ref: 'c1', outcome: 'accepted' },
  ...{ outcome_class: 'ok', finished_at: at, execution_ms: 1, caller_deadline: false, codes: [], bound: true },
  manifest_signed: true,
  ...more,
});
/** A resolution that makes a fault good. */
export const resolution = (more: Partial<ResolutionLine> = {}): ResolutionLine => ({
  ...{ ...head, receipt_id: 'rec_2', kind: 'resolution', orb_id, mode: 'live', is_self: false, caller_ref: 'c1' },
  ...{ outcome: 'sent', outcome_class: 'ok', supersedes: 'orb_fault', finished_at: at, resolves: 'rec_1' },
  ...more,
});
/** A namespace of the tenant acme. */
export const namespace = (change: NamespaceLine['change'], more: Partial<NamespaceLine> = {}): NamespaceLine => ({
  ...{ ...head, kind: 'namespace', at, namespace: 'acme', change, owner: { tenant: 'acme' } },
  ...more,
});
/** A projection of nothing yet, with its sums and its Orb. */
export function create() {
  const sums = new Summing();
  const projection = new Projection(stateOf({}), sums, { minutesOf: () => [] });
  const orb = () => projection.state.orbs.get(orb_id);
  return { projection, sums, orb };
}
