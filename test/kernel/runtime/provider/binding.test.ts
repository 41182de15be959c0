import { expect } from 'chai';
import type { Orb } from '../../../../kernel/runtime/catalog/orb.ts';
import type { Provider } from '../../../../kernel/runtime/provider/adapter.ts';
import { isBereft, orderFor, sameProvider, type Binding } from '../../../../kernel/runtime/provider/binding.ts';

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
