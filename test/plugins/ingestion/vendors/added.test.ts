import { expect } from 'chai';
import { defineVendor, jsonFixture, webhookVendors, type Vendor } from '../../../../plugins/ingestion/contract.ts';
import { definePlugin } from '../../../../kernel/index.ts';
import { addVendor, isVendor, vendorOf } from '../../../../plugins/ingestion/vendors/index.ts';
import { until } from '../../../helpers/until.ts';
import { startIngestion } from '../home.ts';

const acme = (parts: Partial<Vendor> = {}): Vendor =>
  defineVendor({
    name: 'acme-monitor',
    version: 1,
    limits: { bytes: 65_536, keys: 1000 },
    schemes: ['url'],
    normalize: () => [],
    fixture: () => jsonFixture({}),
    setup: () => ({ steps: [], snippets: [] }),
    ...parts,
  });

const pluginOf = (name: string, vendor: Vendor) =>
  definePlugin({
    name,
    requires: { vendors: webhookVendors },
    async start({ services }) {
      await services.vendors.add(vendor);
      return {};
    },
  });

describe('a vendor that a plugin adds', () => {
  const rows: readonly (readonly [what: string, vendor: unknown, message: RegExp])[] = [
    ['no limits', { ...acme(), limits: undefined }, /limits/],
    ['a limit that is no number', { ...acme(), limits: { keys: 10 } }, /limits/],
    ['a limit of 0 members', { ...acme(), limits: { bytes: 10, keys: 0 } }, /limits/],
    ['no scheme', { ...acme(), schemes: [] }, /schemes/],
    ['no normalize', { ...acme(), normalize: undefined }, /normalize/],
    ['no setup', { ...acme(), setup: undefined }, /setup/],
    ['a scheme of signatures that it cannot verify', acme({ schemes: ['signature'] }), /signature/],
    ['no version', { ...acme(), version: undefined }, /version/],
    ['a name that is too long', acme({ name: 'a'.repeat(64) }), /name/],
    ['the name of one that is built in', acme({ name: 'datadog' }), /name/],
    ['a body that is too large', acme({ limits: { bytes: 10, most_bytes: 300_000, keys: 10 } }), /262144/],
  ];
  for (const [what, vendor, message] of rows)
    it(`is refused with ${what}`, () => {
      expect(() => addVendor(vendor as Vendor)).to.throw(TypeError, message);
      expect(isVendor('acme-monitor')).to.equal(false);
    });

  it('gets the defaults of what it leaves out', () => {
    const { methods: _, keep: __, deliveryKey: ___, ...rest } = acme();
    const remove = addVendor(rest as Vendor);
    const { keep, methods } = vendorOf('acme-monitor');
    remove();
    expect([methods, keep]).to.deep.equal([['POST'], []]);
  });

  it('is removed once, though that is asked for twice', () => {
    const [first, second] = [addVendor(acme()), addVendor(acme({ version: 2 }))];
    first();
    first();
    expect(vendorOf('acme-monitor').version).to.equal(2);
    second();
    expect(isVendor('acme-monitor')).to.equal(false);
  });

  it('does not take the place of one that another plugin of the platform added', async () => {
    const plugins = [pluginOf('one', acme()), pluginOf('two', acme({ version: 2 }))];
    const error = await startIngestion({ plugins }).then(
      (home) => home.stop().then(() => undefined),
      (cause: unknown) => cause,
    );
    expect(String(error)).to.match(/two/);
    expect(isVendor('acme-monitor')).to.equal(false);
  });

  it('reads all deliveries of the turn that runs when the server stops', async () => {
    let stopping: Promise<void> | undefined;
    const vendor = acme({
      normalize() {
        stopping ??= home.platform.stop({ keep: true });
        return [];
      },
    });
    const plugins = [pluginOf('acme', vendor)];
    const home = await startIngestion({ plugins });
    const source = await home.source({ name: 'acme', vendor: 'acme-monitor' });
    await home.platform.call('PATCH', `/sources/${source.source_id}`, { paused: true });
    const bodies = Array.from({ length: 30 }, (_, sent) => JSON.stringify({ sent }));
    await Promise.all(bodies.map((body) => home.hook(source.path, { body })));
    await home.platform.call('PATCH', `/sources/${source.source_id}`, { paused: false }).catch(() => undefined);
    await until(
      () => stopping !== undefined,
      (begun) => begun,
      'the first delivery is read',
    );
    await stopping;
    const again = await startIngestion({ plugins, home: home.platform.home });
    const { deliveries } = await again.get('/deliveries?state=dead');
    await again.stop();
    expect(deliveries).to.deep.equal([]);
  });
});
