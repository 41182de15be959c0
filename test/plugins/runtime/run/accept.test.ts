import { expect } from 'chai';
import type { KeyMode, Principal } from '../../../../kernel/access.ts';
import { PlatformError } from '../../../../kernel/error.ts';
import { accept, type AcceptOptions } from '../../../../plugins/runtime/run/accept.ts';
import type { Slot } from '../../../../plugins/runtime/provider/binding.ts';
import type { Orbiset } from '../../../../plugins/runtime/catalog/orbiset.ts';
import type { Run } from '../../../../plugins/runtime/dispatch/run-record.ts';
import { unknownStanding } from '../../../../plugins/runtime/facts/facts.ts';
import { unavailable } from '../../../../kernel/store/serving/pipeline.ts';
import { DispatchBed } from '../dispatch-bed.ts';

describe('accepting a run', () => {
  let bed: DispatchBed;
  let order: Slot[];
  let refuses: (() => never) | undefined;
  const orbisets: readonly Orbiset[] = [
    { id: 'default', tenant: 'default', orbs: ['*'] },
    { id: 'theirs', tenant: 'other', orbs: ['*'] },
    { id: 'only-b', tenant: 'default', orbs: ['test.*'], providers: ['b'] },
    { id: 'mail', tenant: 'default', orbs: ['notify.*'] },
  ];

  beforeEach(async () => {
    bed = new DispatchBed();
    refuses = undefined;
    order = [await bed.slot('a', [() => ({})]), await bed.slot('b', [() => ({})])];
  });

  interface Asked {
    readonly orbiset?: string;
    readonly inputs?: Record<string, unknown>;
    readonly timeout_ms?: number;
    readonly mode?: KeyMode;
    readonly scopes?: readonly string[];
  }

  function accepted({ orbiset = 'default', inputs = { token: 'x' }, mode = 'live', scopes = [], ...more }: Asked): Run {
    const { orb } = bed.run([]);
    const principal: Principal = { id: 'prn_1', key_id: 'key_1', tenant: 'default', scopes, mode };
    // Of the store and the bindings, accepting asks for nothing else.
    const options = {
      parsers: new Map(),
      catalog: { orbs: new Map([[orb.orb_id, orb]]), orbisets: new Map(orbisets.map((one) => [one.id, one])) },
      bindings: { find: () => ({ order }) },
      store: { admit: () => refuses?.() },
      standing: () => unknownStanding,
      clock: { now: () => 0, monotonic: () => 0 },
      ids: () => 'run_1',
    } as unknown as AcceptOptions;
    const { orb_id } = orb;
    return accept({ orbiset_id: orbiset, orb_id, inputs, principal, client_ip: '127.0.0.1', ...more }, options);
  }

  const names = (run: Run): string[] => run.order.map(({ provider }) => provider.name);
  const leases = (): (number | undefined)[] => order.map(({ generation }) => generation?.in_flight);

  it('holds the active provider, and nobody else', () => {
    const run = accepted({});
    expect([run.mode, names(run), leases()]).to.deep.equal(['live', ['a', 'b'], [1, 0]]);
    expect(run.lease?.generation).to.equal(order[0]?.generation);
  });

  const refused: Record<string, { readonly asked: Asked; readonly code: string; readonly arrange?: () => unknown }> = {
    'of an Orbiset of another tenant': { asked: { orbiset: 'theirs' }, code: 'orbiset_not_found' },
    'of an Orb that the Orbiset does not admit': { asked: { orbiset: 'mail' }, code: 'orb_not_found' },
    'with inputs that break the schema': { asked: { inputs: {} }, code: 'invalid_inputs' },
    "with more time than the Orb's own": { asked: { timeout_ms: 1001 }, code: 'invalid_body' },
    'while the store can record nothing': {
      asked: {},
      code: 'storage_unavailable',
      arrange: () => {
        refuses = () => {
          throw unavailable();
        };
      },
    },
    'while the queue of the active provider is full': {
      asked: {},
      code: 'overloaded',
      arrange: async () => {
        order = [await bed.slot('a', [() => ({})], { limits: { concurrency: 1, length: 0 } })];
        await order[0]?.queue?.enter('default', 0);
      },
    },
  };
  for (const [name, { asked, code, arrange }] of Object.entries(refused))
    it(`refuses one ${name}, and holds nothing for it`, async () => {
      await arrange?.();
      expect(() => accepted(asked))
        .to.throw(PlatformError)
        .and.include({ code });
      expect(leases()).to.deep.equal(order.map(() => 0));
    });

  it('shows every Orbiset to a key of all scopes', () => {
    expect(accepted({ orbiset: 'theirs', scopes: ['*'] }).orbiset.tenant).to.equal('other');
  });

  it("takes the Orb's own time as the caller's", () => {
    expect(accepted({ timeout_ms: 1000 }).timeout_ms).to.equal(1000);
  });

  it('lets only the providers of the Orbiset serve, in order', () => {
    const run = accepted({ orbiset: 'only-b' });
    expect([names(run), leases(), run.bound.length]).to.deep.equal([['b'], [0, 1], 2]);
  });

  describe('never crosses from live to sandbox', () => {
    const modes: readonly (readonly [
      bound: readonly [string, string],
      key: KeyMode,
      served: string[],
      mode: string,
    ])[] = [
      [['live', 'sandbox'], 'live', ['live'], 'live'],
      [['live', 'sandbox'], 'test', ['sandbox'], 'sandbox'],
      [['sandbox', 'live'], 'live', ['sandbox'], 'sandbox'],
      [['sandbox', 'live'], 'test', ['sandbox'], 'sandbox'],
      [['live', 'other'], 'test', [], 'sandbox'],
    ];
    for (const [bound, mode, served, is] of modes)
      it(`a ${mode} key with ${bound[0]} bound is served by ${served.join() || 'nobody'}`, async () => {
        order = [];
        for (const name of bound) order.push(await bed.slot(name, [() => ({})], { sandbox: name === 'sandbox' }));
        const run = accepted({ mode });
        expect([names(run), run.mode]).to.deep.equal([served, is]);
      });
  });
});
