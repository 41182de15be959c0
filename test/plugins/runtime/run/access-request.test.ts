import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { AccessRequest, Principal } from '../../../../kernel/index.ts';
import { createIds } from '../../../../kernel/tools/id.ts';
import { executeQuestion, orbQuestion, partsOf, swapQuestion } from '../../../../plugins/runtime/run/access-request.ts';
import { createOrb } from '../../../../plugins/runtime/catalog/orb.ts';
import type { Binding, Slot } from '../../../../plugins/runtime/provider/binding.ts';
import { DispatchBed } from '../dispatch-bed.ts';
import { unknownStanding, type Standing } from '../../../../plugins/runtime/facts/facts.ts';
import { recordOrb } from '../../../helpers/recorder.ts';

const principal: Principal = { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes: [], mode: 'live' };
const clock = { now: () => 1_767_225_600_000, monotonic: () => 0 };
const options = { clock, ids: createIds(clock), installation: 'ins_1', version: '1.0.0' };

describe('the question to a policy', () => {
  const file = new URL('../../../../data/orbs/demo.echo@1.0.0.json', import.meta.url);
  const orb = createOrb(JSON.parse(readFileSync(file, 'utf8')), []);
  if (orb === undefined) throw new Error('the echo Orb is not usable');
  const asked = { action: 'publish', client_ip: '127.0.0.1', orb_id: orb.orb_id, context: {} };
  const resource = (standing: Standing): AccessRequest['resource'] =>
    orbQuestion({ ...asked, principal, standing }, orb, options).resource;

  it('names the same resource as long as the Orb stands as it stood', () => {
    expect(resource({ ...unknownStanding })).to.equal(resource({ ...unknownStanding, caller_ref: 'f'.repeat(64) }));
  });

  it('names a resource that is frozen throughout', () => {
    const values = Object.values(resource(unknownStanding)).filter((value) => typeof value === 'object');
    expect(values).to.have.length.above(0);
    for (const value of [resource(unknownStanding), ...values]) expect(Object.isFrozen(value)).to.equal(true);
  });

  const changes: readonly (readonly [string, Partial<Standing>, object])[] = [
    ['its tier', { tier: 'gold' }, { tier: 'gold' }],
    ['its state', { state: 'suspended' }, { state: 'suspended' }],
    ['its score', { score: 87 }, { score: 87 }],
    ['its signature', { signed: true }, { manifest_signed: true }],
  ];
  for (const [what, change, seen] of changes)
    it(`shows a change of ${what} at once, and its return`, () => {
      const before = resource(unknownStanding);
      expect(resource({ ...unknownStanding, ...change })).to.deep.equal({ ...before, ...seen });
      expect(resource(unknownStanding)).to.deep.equal(before);
    });

  const frozen = Object.freeze({ ...principal, scopes: ['orbs:execute'] });
  const changing: readonly (readonly [string, Principal, (of: Principal) => void])[] = [
    ['a member', { ...principal }, (of) => Object.assign(of, { mode: 'test' })],
    ['a scope', { ...principal, scopes: ['orbs:execute'] }, ({ scopes }) => Object.assign(scopes, ['orbs:read'])],
    ['a scope of one that is frozen but for it', frozen, ({ scopes }) => Object.assign(scopes, ['orbs:read'])],
  ];
  for (const [what, kept, change] of changing)
    it(`names the caller as it is now, when its authenticator changes ${what} of what it handed out`, () => {
      const subject = (): AccessRequest['subject'] =>
        orbQuestion({ ...asked, principal: kept, standing: unknownStanding }, orb, options).subject;
      expect(subject()).to.deep.equal({ type: 'principal', ...kept });
      change(kept);
      expect(subject()).to.deep.equal({ type: 'principal', ...kept });
      expect(Object.isFrozen(subject()), 'nobody remembers what it said').to.equal(false);
    });
});

describe('the question of a swap', () => {
  let slots: Slot[];
  beforeEach(async () => {
    const bed = new DispatchBed();
    slots = [await bed.slot('a', []), await bed.slot('b', [], { sandbox: true, unopened: true })];
  });
  const asked = (more: Partial<Binding> = {}) => {
    const { orb } = new DispatchBed().run([]);
    const binding = { orb, order: slots, ...more } as Binding;
    const [, target] = slots as [Slot, Slot];
    const swap = { binding, target: target.provider, targetHealth: 'up', client_ip: '127.0.0.1', rollback: false };
    const question = swapQuestion({ ...swap, principal }, { ...options, standing: () => unknownStanding });
    return question.context as { readonly swap: object; readonly providers: object[] };
  };

  it('says from what to what, and how many runs use the one before', () => {
    slots[0]?.generation?.lease();
    expect(asked().swap).to.deep.equal({
      ...{ from: 'a', to: 'b', to_adapter: 'record/scripted', to_sandbox: true, to_health: 'up' },
      ...{ rollback: false, in_flight: 1 },
    });
    expect(asked().providers).to.deep.equal([
      { name: 'a', adapter: 'record/scripted', health: 'unknown', generation: 1 },
      { name: 'b', adapter: 'record/scripted', health: 'unknown', generation: 0 },
    ]);
  });

  it('names nothing before where nothing was bound, and the age of the last swap in whole seconds', () => {
    const last_swap = { started_at: new Date(clock.now() - 2500).toISOString() } as Binding['last_swap'];
    const { swap } = asked({ order: [], last_swap });
    expect(swap).to.include({ in_flight: 0, last_swap_age_s: 2 }).and.not.to.have.property('from');
  });
});

describe('the question of a run', () => {
  it('says what is asked in which Orbiset, once at most unless more was asked', () => {
    const run = new DispatchBed().run([]);
    const context = (more: object = {}) => executeQuestion({ ...run, ...more }, options).context;
    expect(context()).to.deep.include({
      ...{ orbiset: { id: 'default', labels: {} }, inputs: { token: 'x' }, inputs_bytes: 13, providers: [] },
      ...{ delivery: 'at_most_once', time_ns: '1767225600000000000', client_ip: '127.0.0.1' },
    });
    const orbiset = { ...run.orbiset, labels: { team: 'a' } };
    expect(context({ orbiset, delivery: 'at_least_once' })).to.deep.include({
      ...{ orbiset: { id: 'default', labels: { team: 'a' } }, delivery: 'at_least_once' },
    });
  });
});

const orbWith = (more: object) => createOrb(recordOrb(more), []) ?? expect.fail('a faulty Orb');

describe('the parts of an Orb in questions and facts', () => {
  it('are the same frozen objects as long as its standing is the same, whoever calls', () => {
    const orb = orbWith({});
    const parts = partsOf(orb, unknownStanding);
    expect(partsOf(orb, { ...unknownStanding, is_self: true, caller_ref: 'x' })).to.equal(parts);
    for (const part of [parts.resource, parts.action, parts.orb, parts.data, parts.data.classes])
      expect(part).to.satisfy(Object.isFrozen);
    expect(partsOf(orbWith({}), unknownStanding)).not.to.equal(parts);
  });

  for (const [what, more] of [
    ['tier', { tier: 'gold' }],
    ['state', { state: 'suspended' }],
    ['score', { score: 7 }],
    ['signature', { signed: true }],
  ] as readonly (readonly [string, Partial<Standing>])[])
    it(`follow its ${what}`, () => {
      const orb = orbWith({});
      partsOf(orb, unknownStanding);
      const { resource } = partsOf(orb, { ...unknownStanding, ...more });
      const { signed = false, ...rest } = more;
      expect(resource).to.include({ ...rest, manifest_signed: signed });
    });

  it('have classes of data and a latency only where the manifest has them', () => {
    const bare = partsOf(orbWith({ data_classes: undefined }), unknownStanding);
    expect([bare.data, 'latency' in bare]).to.deep.equal([{ classes: [] }, false]);
    const { data, latency } = partsOf(orbWith({ latency_objective_ms: 5 }), unknownStanding);
    expect([data, latency]).to.deep.equal([{ classes: ['internal'] }, { objective_ms: 5 }]);
  });
});
