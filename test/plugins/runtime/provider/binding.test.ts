import { expect } from 'chai';
import type { Orb } from '../../../../plugins/runtime/catalog/orb.ts';
import type { Provider } from '../../../../kernel/provider/adapter.ts';
import {
  generationsOf,
  isBereft,
  orderFor,
  retire,
  sameProvider,
  switchBinding,
  type Binding,
  type Slot,
} from '../../../../plugins/runtime/provider/binding.ts';
import { DispatchBed } from '../dispatch-bed.ts';

const adapters: Readonly<Record<string, object>> = {
  mail: { name: 'email/smtp', capability: 'email' },
  echo: { name: 'echo/local', capability: 'echo' },
};
const provider = (name: string, adapter = 'mail', more: object = {}): Provider =>
  ({ name, adapter: adapters[adapter], config: { host: 'a', port: 25 }, ...more }) as unknown as Provider;
const providers = new Map([provider('a'), provider('b', 'echo'), provider('c')].map((each) => [each.name, each]));

describe('the order of an Orb', () => {
  const orb = { orb_id: 'a.b@1.0.0', manifest: { capability: 'email' } } as Orb;

  it('is the one that is bound, whatever else would fit', () => {
    expect(orderFor(orb, providers, { 'a.b@1.0.0': ['c'] })).to.deep.equal(['c']);
    expect(orderFor(orb, providers, { 'a.b@1.0.0': [] })).to.deep.equal([]);
  });

  it('is all that offer its capability, as they are configured, when none is bound', () => {
    expect(orderFor(orb, providers, { 'other@1.0.0': ['b'] })).to.deep.equal(['a', 'c']);
  });
});

describe('an Orb has lost its providers', () => {
  const rows: readonly (readonly [string, readonly string[], Binding['source'], string | undefined, boolean])[] = [
    ['not while one is configured', ['a'], 'config', 'a', false],
    ['when none is configured any more', [], 'config', 'a', true],
    ['not while a swap binds one that is configured for others', [], 'swap', 'a', false],
    ['when what a swap had bound is configured for nobody', [], 'swap', 'gone', true],
    ['when nothing ever served it', [], 'swap', undefined, true],
  ];
  for (const [name, configured, source, active, bereft] of rows)
    it(name, () => {
      const order = active === undefined ? [] : [{ provider: { name: active } }];
      const binding = { configured, source, order } as unknown as Binding;
      expect(isBereft(binding, providers)).to.equal(bereft);
    });
});

describe('a provider after a reload', () => {
  const limits = { concurrency: 1, queue: 2 };
  const before = provider('a', 'mail', { limits });
  const rows: readonly (readonly [string, Provider, boolean])[] = [
    [
      'is the same, though its members come in another order',
      provider('a', 'mail', { limits: { queue: 2, concurrency: 1 }, config: { port: 25, host: 'a' } }),
      true,
    ],
    ['is another one under another name', provider('c', 'mail', { limits }), false],
    ['is another one by another adapter', provider('a', 'echo', { limits }), false],
    [
      'is another one by another configuration',
      provider('a', 'mail', { limits, config: { host: 'b', port: 25 } }),
      false,
    ],
    ['is another one with another limit', provider('a', 'mail', { limits: { ...limits, queue: 3 } }), false],
    ['is another one without a limit', provider('a'), false],
  ];
  for (const [name, after, same] of rows)
    it(name, () => expect([sameProvider(before, after), sameProvider(after, before)]).to.deep.equal([same, same]));

  it('may have neither a configuration nor limits', () => {
    expect(sameProvider(provider('a', 'mail', { config: undefined }), provider('a', 'mail', { config: {} }))).to.equal(
      true,
    );
  });
});

describe('pointing an Orb to a new generation', () => {
  let bed: DispatchBed;
  const closed: string[] = [];
  let slots: Slot[];
  let binding: Binding;

  beforeEach(async () => {
    bed = new DispatchBed();
    closed.length = 0;
    slots = [];
    for (const name of ['a', 'b', 'c'])
      slots.push(
        await bed.slot(name, [], { close: () => closed.push(name), ...(name === 'c' ? { unopened: true } : {}) }),
      );
    const rest = { source: 'config', draining: new Set(), swap: undefined, last_swap: undefined };
    binding = { ...rest, order: slots, configured: ['a', 'b', 'c'] } as unknown as Binding;
  });
  const [at, names] = [
    (name: string) => slots.find((slot) => slot.provider.name === name) ?? expect.fail(name),
    () => binding.order.map(({ provider: { name } }) => name),
  ];
  const switched = (name: string) => {
    const generation = at(name).generation?.again() ?? expect.fail(`${name} is not open`);
    return { generation, leaving: switchBinding(binding, at(name), generation) };
  };

  it('puts it first, the rest in the configured order; the one before and an older one of its provider drain', () => {
    const { generation, leaving } = switched('b');
    expect(names()).to.deep.equal(['b', 'a', 'c']);
    expect(binding.order[0]?.generation).to.equal(generation);
    expect(leaving).to.have.length(2);
    expect([...binding.draining]).to.deep.equal(leaving);
    expect(at('b').generation, 'for a run with the old order').to.equal(generation);
  });

  it('keeps the provider before as a standby, whose new runs do not delay the drain', () => {
    const { leaving } = switched('b');
    const standby = binding.order[1]?.generation;
    expect(leaving).to.include(at('a').generation).and.not.to.include(standby);
    expect(standby?.transport).to.equal(at('a').generation?.transport);
    standby?.lease();
    expect(leaving.map(({ in_flight }) => in_flight)).to.deep.equal([0, 0]);
  });

  it('leaves a provider out that is no longer configured', () => {
    binding.configured = ['b'];
    switched('b');
    expect(names()).to.deep.equal(['b']);
  });

  it('lets a slot that was never opened keep its place', async () => {
    const unopened = binding.order[2];
    switched('a');
    expect([names(), binding.order[2]]).to.deep.equal([['a', 'b', 'c'], unopened]);
    binding.order = [unopened ?? expect.fail('it is there')];
    switched('a');
    expect(binding.order[1]).to.equal(unopened);
  });

  it('closes what has drained, and no longer counts it as draining', async () => {
    const { generation } = at('b');
    if (generation === undefined) return expect.fail('it is open');
    binding.draining.add(generation);
    expect(generationsOf(binding)).to.have.length(3);
    bed.time.now = 5;
    expect(await retire(binding, generation, 1000)).to.equal(0);
    expect([closed, binding.draining.size, generationsOf(binding).length]).to.deep.equal([['b'], 0, 2]);
  });
});
