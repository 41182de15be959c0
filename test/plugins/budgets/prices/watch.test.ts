import { existsSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readPrices } from '../../../../plugins/budgets/prices/file.ts';
import { PriceWatch } from '../../../../plugins/budgets/prices/watch.ts';
import { said, startBed } from '../../models/bed.ts';
import { until } from '../../../helpers/until.ts';
import { priced, priceText } from './priced.ts';

const cheap = priceText([priced({ input: '1', output: '1' }, { adapter: 'llm/script', model: 'fast' })]);
const dear = priceText([priced({ input: '2', output: '2' }, { adapter: 'llm/script', model: 'fast' })]);
const digestOf = (text: string) => readPrices(Buffer.from(text), 'prices', [])?.digest;

describe('the price file', () => {
  let folder: string;
  let path: string;
  let lines: string[];
  const log = {
    info: (_: object, text?: string) => void lines.push(`info ${text}`),
    error: (_: object, text?: string) => void lines.push(`error ${text}`),
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-prices-'));
    path = join(folder, 'prices.json');
    lines = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const watching = (text?: string): PriceWatch => {
    if (text !== undefined) writeFileSync(path, text);
    const prices = text === undefined ? undefined : readPrices(Buffer.from(text), path, []);
    return new PriceWatch({ prices, path, clock: { now: () => 0 }, log: log });
  };
  const looked = async (watch: PriceWatch, times = 2) => {
    for (let at = 0; at < times; at += 1) await watch.look();
    const { count, newest } = await watch.concern.find(undefined);
    return { digest: watch.prices?.digest, count, reason: newest[0]?.reason };
  };

  it('is taken into use when it has changed and rests', async () => {
    const watch = watching(cheap);
    await looked(watch);
    expect(lines).to.deep.equal([]);
    writeFileSync(path, dear);
    expect((await looked(watch, 1)).digest).to.equal(digestOf(cheap));
    expect(await looked(watch, 1)).to.deep.equal({ digest: digestOf(dear), count: 0, reason: undefined });
    expect(lines).to.have.length(1);
  });

  const broken = {
    'no JSON': '{"version":1,',
    'another schema': '{"version":2}',
    'two prices': cheap.replace('[{', '[{}, {'),
  };
  for (const [name, text] of Object.entries(broken))
    it(`with faults (${name}) leaves the prices before in force, and says so once, until it is repaired`, async () => {
      const watch = watching(cheap);
      writeFileSync(path, text);
      const found = await looked(watch, 4);
      expect([found.digest, found.count]).to.deep.equal([digestOf(cheap), 1]);
      expect(found.reason).to.contain('the prices before stay in force').and.to.contain(path);
      expect(lines).to.have.length(1);
      writeFileSync(path, cheap);
      expect(await looked(watch)).to.deep.equal({ digest: digestOf(cheap), count: 0, reason: undefined });
    });

  it('may come later, and one that is removed stays in force', async () => {
    const watch = watching();
    expect(await looked(watch)).to.deep.equal({ digest: undefined, count: 0, reason: undefined });
    writeFileSync(path, cheap);
    expect((await looked(watch)).digest).to.equal(digestOf(cheap));
    unlinkSync(path);
    expect(existsSync(path)).to.equal(false);
    const found = await looked(watch);
    expect([found.digest, found.count]).to.deep.equal([digestOf(cheap), 1]);
  });

  it('changes cost and digest of the calls after it, while the server runs', async () => {
    const bed = await startBed({ data: { 'prices.json': JSON.parse(cheap) as object } });
    try {
      bed.answer(async () => said('hello'));
      const factsNow = async () => {
        const { body } = await bed.post('/v1/chat/completions', {
          model: 'fast',
          messages: [{ role: 'user', content: 'hi' }],
        });
        const { body: receipt } = await bed.platform.call('GET', `/receipts/${body.orb.receipt_id}`);
        const { cost, prices_digest: digest } = receipt.statement.predicate.facts;
        expect(body.orb.cost).to.deep.equal(cost);
        return { nanos: cost.amount_nanos, digest };
      };
      expect(await factsNow()).to.deep.equal({ nanos: 15_000, digest: digestOf(cheap) });
      writeFileSync(join(bed.platform.home, 'data/prices.json'), dear);
      const changed = await until(factsNow, ({ digest }) => digest !== digestOf(cheap), 'the new prices');
      expect(changed).to.deep.equal({ nanos: 30_000, digest: digestOf(dear) });
      writeFileSync(join(bed.platform.home, 'data/prices.json'), '{');
      const faulty = async () =>
        (await bed.platform.call('GET', '/overview')).body.concerns.find(
          ({ name }: { readonly name: string }) => name === 'faulty_prices',
        );
      await until(faulty, ({ count }) => count === 1, 'the concern');
      expect(await factsNow()).to.deep.equal(changed);
      const reloaded = await bed.platform.call('POST', '/config/reload');
      expect([reloaded.status, reloaded.body.code]).to.deep.equal([422, 'invalid_configuration']);
    } finally {
      await bed.platform.stop();
    }
  });
});
