import { expect } from 'chai';
import {
  defineVendor,
  jsonFixture,
  webhookVendors,
  type Signature,
  type Vendor,
} from '../../../../../plugins/ingestion/contract.ts';
import { definePlugin } from '../../../../../kernel/index.ts';
import { addVendor, isVendor, vendorOf } from '../../../../../plugins/ingestion/sources/vendor-list.ts';
import { until } from '../../../../helpers/until.ts';
import { startIngestion, type IngestionHome } from '../../home.ts';

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

  describe('with a defect', () => {
    const thrown = (): never => {
      throw new Error('the secret is s3cret');
    };
    const signed = (name: string, signature: Partial<Signature>, rest: Partial<Vendor> = {}): Vendor =>
      acme({
        name,
        schemes: ['signature'],
        signature: { verify: thrown, sign: () => undefined, ...signature },
        ...rest,
      });
    const proof = { strength: 'strong', scheme: 'acme.v1' } as const;
    const lines: string[] = [];
    let home: IngestionHome;
    before(async () => {
      const vendors = [
        signed('throws', { fault: thrown }),
        signed('says-true', { verify: () => true as never }),
        signed('says-much', { verify: () => undefined, fault: () => 'x'.repeat(5000) }),
        signed('no-key', { verify: () => proof }, { deliveryKey: thrown }),
        signed('number-key', { verify: () => proof }, { deliveryKey: () => 7 as never }),
        signed('no-answer', { verify: () => proof }, { answer: thrown }),
      ];
      const plugins = vendors.map((vendor) => pluginOf(vendor.name, vendor));
      home = await startIngestion({ plugins, onLog: (line) => lines.push(line) });
    });
    after(() => home.stop());

    for (const [vendor, status] of [
      ['throws', 401],
      ['says-true', 401],
      ['says-much', 401],
      ['no-key', 202],
      ['number-key', 202],
      ['no-answer', 202],
    ] as const)
      it(`${vendor}: the delivery is answered ${status}, and no text of the vendor is logged`, async () => {
        const source = await home.source({ name: vendor, vendor });
        const answer = await home.hook(source.path, { body: '{}' });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
        expect(JSON.stringify(answer.body)).to.have.length.below(1200);
        expect(lines.join('')).to.not.include('s3cret');
      });

    it('is named in the log', () => {
      expect(lines.join('')).to.include('the vendor throws of a plugin failed in `verify`');
    });
  });
});
