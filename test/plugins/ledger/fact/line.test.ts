import { expect } from 'chai';
import {
  isSnapshot,
  revokesReceipts,
  type KeyLine,
  type Line,
  readLine,
} from '../../../../plugins/ledger/fact/line.ts';
import { incidentPredicate, resolutionPredicate, runPredicate, standingPredicate } from '../synthetic-log.ts';

describe('a line of the ledger', () => {
  it('is the snapshot of a day when it is a standing of that change', () => {
    const line = (kind: string, change: string): Line => ({ kind, change }) as unknown as Line;
    expect(isSnapshot(line('standing', 'snapshot'))).to.equal(true);
    expect(isSnapshot(line('standing', 'published'))).to.equal(false);
    expect(isSnapshot(line('incident', 'snapshot'))).to.equal(false);
  });

  it('takes receipts back when it revokes a key of receipts, and of nothing else', () => {
    const line = (role: string, change: string): KeyLine => ({ role, change }) as unknown as KeyLine;
    expect(revokesReceipts(line('receipt', 'revoked'))).to.equal(true);
    expect(revokesReceipts(line('log', 'revoked'))).to.equal(false);
    expect(revokesReceipts(line('receipt', 'added'))).to.equal(false);
  });
});

type Members = Readonly<Record<string, unknown>>;
const place = { origin: 'log.example/1', index: 7 };
const head = { ...place, receipt_id: 'rec_1', signed_by: 'k1' };

/** Reads an entry of a kind; `said`: what its statement has besides the predicate. */
const read = (kind: string, predicate: object, said: object = {}): Line =>
  readLine({
    ...{ ...place, kind },
    statement: JSON.stringify({
      predicateType: `urn:agent-orb:${kind}:v1`,
      predicate: { receipt_id: 'rec_1', issuer: { kid: 'k1' }, ...predicate },
      ...said,
    }),
  });
const run = (more: object = {}, facts: object = {}): Members => {
  const made = runPredicate({ day: 0, second: 0, caller: 1 }) as { readonly facts: object };
  return { ...made, ...more, facts: { ...made.facts, ...facts } };
};
const at = '2026-01-01T12:00:00.000Z';

describe('reading an entry of the log', () => {
  it('takes of a run what counts', () => {
    const { score_fact } = run() as { readonly score_fact: { readonly caller_ref: string } };
    expect(read('run', run())).to.deep.equal({
      ...{ kind: 'run', ...head, orb_id: 'notify.email@1.0.0', mode: 'live', finished_at: at },
      ...{ outcome_class: 'ok', is_self: false, caller_ref: score_fact.caller_ref, latency_ok: true },
      ...{ manifest_signed: true, provider: 'a', execution_ms: 100, outcome: 'accepted', caller_deadline: false },
      ...{ codes: [], bound: true, objective_ms: 2000 },
    });
  });

  it('takes the last attempt for the provider, else the one that was bound', () => {
    const provider = (facts: object) => (read('run', run({}, facts)) as { readonly provider?: string }).provider;
    expect(provider({ attempts: [{ provider: 'x' }, { provider: 'y' }] })).to.equal('y');
    expect(provider({ attempts: [] })).to.equal('a');
    const unbound = read('run', run({}, { attempts: [], provider: undefined }));
    expect(unbound).to.include({ bound: false }).and.to.not.have.property('provider');
  });

  it('takes of a run what it may lack', () => {
    const line = read('run', run({}, { latency: undefined, orb: {} }));
    expect(line).to.include({ manifest_signed: false }).and.to.not.have.property('objective_ms');
    const { score_fact } = run() as { readonly score_fact: object };
    const unmeasured = read('run', run({ score_fact: { ...score_fact, latency_ok: undefined } }));
    expect(unmeasured).to.not.have.property('latency_ok');
    const policy = { decision: 'deny', reasons: [{ code: 'a' }, { code: 'b' }] };
    expect(read('run', run({}, { policy }))).to.deep.include({ codes: ['a', 'b'] });
    const action = { class: 'notify', caller_deadline: true };
    expect(read('run', run({}, { action }))).to.include({ caller_deadline: true });
  });

  it('takes of a resolution the run that it resolves', () => {
    expect(read('resolution', resolutionPredicate('rec_0', 0, 'sent', 'orb_fault'))).to.deep.include({
      ...{ kind: 'resolution', ...head, orb_id: 'notify.email@1.0.0', mode: 'live', finished_at: at },
      ...{ outcome: 'sent', resolves: 'rec_0', outcome_class: 'ok', supersedes: 'orb_fault', is_self: false },
    });
  });

  it('takes of an incident its state and who told of it', () => {
    const deliveries = [{ delivery_id: 'd', source_id: 's', auth_strength: 'strong', more: 1 }];
    const line = read('incident', incidentPredicate('inc_1', 0, { deliveries, other: 1, ends_at: at }));
    expect(line).to.deep.equal({
      ...{ kind: 'incident', ...head, at, incident_id: 'inc_1', change: 'opened', change_number: 1, state: 'open' },
      ...{ severity: 'critical', scope: [{ kind: 'provider', id: 'a' }], starts_at: at, ends_at: at },
      deliveries: [{ delivery_id: 'd', source_id: 's', auth_strength: 'strong' }],
    });
  });

  it('tells the snapshot of a day from a change of standing', () => {
    const change = standingPredicate('a.b@1.0.0', 0, { change: 'yanked', reason: 'x', day: '2026-01-01' });
    expect(read('standing', change)).to.deep.equal({
      ...{ kind: 'standing', ...head, at, orb_id: 'a.b@1.0.0', change: 'yanked', reason: 'x' },
    });
    const facts = { change: 'snapshot', day: '2026-01-01', logs: [], profile: 'single-org', reason: 'x' };
    expect(read('standing', { at, facts })).to.deep.equal({
      ...{ kind: 'standing', ...head, at, change: 'snapshot', day: '2026-01-01', logs: [], profile: 'single-org' },
    });
  });

  it('takes of a fact that another plugin declares no more than that it is there', () => {
    expect(read('toString', { at, facts: { change: 'x' } })).to.deep.equal({ kind: 'other', ...head, at });
  });

  const unreadable: readonly (readonly [name: string, kind: string, predicate: object, said?: object])[] = [
    ['of another kind than it says', 'run', run(), { predicateType: 'urn:agent-orb:swap:v1' }],
    ['without a predicate', 'run', {}, { predicate: undefined }],
    ['with null for a predicate', 'run', {}, { predicate: null }],
    ['with a text for its facts', 'run', { ...run(), facts: 'x' }],
    ['without a receipt', 'run', { ...run(), receipt_id: undefined }],
    ['without an issuer', 'run', { ...run(), issuer: undefined }],
    ['of a run without an Orb', 'run', { ...run(), orb_id: 7 }],
    ['of a run without an end', 'run', { ...run(), finished_at: 'soon' }],
    ['of a run with a number for its end', 'run', { ...run(), finished_at: 5 }],
    ['of a run of a time that is no integer', 'run', { ...run(), execution_ms: 1.5 }],
    ['of a run of a time in words', 'run', { ...run(), execution_ms: '5' }],
    ['of a run without a score', 'run', { ...run(), score_fact: undefined }],
    ['of a run whose attempts are no list', 'run', run({}, { attempts: { length: 0 } })],
    ['of a run with an attempt that is null', 'run', run({}, { attempts: [null] })],
    ['of a run with an odd objective', 'run', run({}, { latency: { objective_ms: '2000' } })],
    ['of a run with null for its latency', 'run', run({}, { latency: null })],
    ['of an incident without a begin', 'incident', incidentPredicate('inc_1', 0, { starts_at: undefined })],
    ['of an incident with an odd end', 'incident', incidentPredicate('inc_1', 0, { ends_at: 'never' })],
    ['of an incident without deliveries', 'incident', incidentPredicate('inc_1', 0, { deliveries: undefined })],
    ['of an incident without an id', 'incident', { ...incidentPredicate('inc_1', 0), incident_id: undefined }],
    ['of a resolution without its run', 'resolution', { ...resolutionPredicate('', 0, 'sent', 'ok'), facts: {} }],
    ['of a standing without a time', 'standing', { facts: { change: 'yanked' }, orb_id: 'a.b@1.0.0' }],
    ['of another plugin without a time', 'audit', { facts: {} }],
  ];
  for (const [name, kind, predicate, said] of unreadable)
    it(`refuses one ${name}`, () => {
      expect(() => read(kind, predicate, said)).to.throw(TypeError, /is missing in the statement|is not of the kind/);
    });
});
