import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '../../../../kernel/index.ts';
import { examinePrices } from '../../../../plugins/budgets/examination.ts';
import { budgetFiles } from '../../../../plugins/budgets/files.ts';
import type { PriceEntry } from '../../../../plugins/budgets/prices/file.ts';
import { runCommand, shippedCommand, shippedInstallation } from '../../../helpers/command.ts';
import { priced, priceText } from '../prices/priced.ts';

const providers = {
  vendor: {
    adapter: 'llm/openai-compatible',
    config: { dialect: 'openai', models: { fast: 'gpt-x', big: { name: 'gpt-y' } } },
  },
  local: { adapter: 'llm/openai-compatible', config: { dialect: 'vllm', models: { tiny: 'smol' } } },
  mail: { adapter: 'email/outbox' },
};
const list = `{
  "gpt-x": {"litellm_provider": "openai", "input_cost_per_token": 1.5e-07, "output_cost_per_token": 6e-07},
  "gpt-z": {"litellm_provider": "openai", "input_cost_per_token": 1}
}`;

describe('orb prices import', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-prices-'));
    mkdirSync(join(home, 'data'));
    writeFileSync(join(home, 'data/platform.json'), JSON.stringify({ providers }));
    writeFileSync(join(home, 'list.json'), list);
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const file = (): string => join(home, 'data/prices.json');
  const call = (options: Record<string, string>, path = join(home, 'list.json')) =>
    runCommand<{ imported: PriceEntry[]; notes: string[] }>(shippedCommand('prices import'), home, [path], {
      ...{ env: { ORB_HOME: home }, options },
    });
  const prices = () => (JSON.parse(readFileSync(file(), 'utf8')) as { prices: PriceEntry[] }).prices;

  it('writes the prices of the models in use, and says what it could not', async () => {
    const { exit, text, value } = await call({ format: 'litellm' });
    expect(exit).to.equal(0);
    expect(prices().map(({ model, per_mtok }) => [model, per_mtok])).to.deep.equal([
      ['gpt-x', { input: '0.15', output: '0.6' }],
    ]);
    expect(value.notes).to.deep.equal([
      'vendor gpt-y: the list has no price',
      'local smol: no list has its vendor; write the price by hand',
    ]);
    expect(text).to.include('vendor gpt-x: 0.15 / 0.6 per million').and.include('1 imported, 1 in all');
  });

  it('keeps earlier prices and those of other models', async () => {
    const mine = priced({ input: '1' }, { adapter: 'llm/openai-compatible', model: 'smol', provider: 'local' });
    const before = priced({ input: '9' }, { adapter: 'llm/openai-compatible', model: 'gpt-x', provider: 'vendor' });
    writeFileSync(file(), priceText([mine, before]));
    await call({ format: 'litellm' });
    await call({ format: 'litellm' });
    expect(prices().map(({ model, per_mtok }) => `${model} ${per_mtok.input}`)).to.deep.equal([
      ...['smol 1', 'gpt-x 9', 'gpt-x 0.15'],
    ]);
  });

  it('changes nothing when it imports nothing, or the price file is faulty', async () => {
    const none = await call({ format: 'genai-prices' });
    expect([none.exit, none.text.includes('no price was imported')]).to.deep.equal([1, true]);
    writeFileSync(file(), '{"version":1,"prices":[{}]}');
    const error = await call({ format: 'litellm' }).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ConfigError);
    expect(readFileSync(file(), 'utf8')).to.equal('{"version":1,"prices":[{}]}');
  });

  it('needs a format, and a file that is JSON', async () => {
    expect((await call({})).exit).to.equal(2);
    expect((await call({ format: 'csv' })).exit).to.equal(2);
    expect((await call({ format: 'litellm' }, join(home, 'none.json'))).exit).to.equal(3);
  });

  const examined = () => {
    const found = examinePrices({ installation: shippedInstallation({ ORB_HOME: home }) } as never);
    return (found as readonly { state: string; detail: string }[]).map(({ state, detail }) => `${state} ${detail}`);
  };

  it('is what orb doctor asks for while a model in use has no price', async () => {
    expect(examined()).to.deep.equal([`warning there is no ${file()}: no call has a cost`]);
    await call({ format: 'litellm' });
    expect(examined()).to.deep.equal(
      ['vendor gpt-y', 'local smol'].map((model) => `warning ${model} has no price: its calls have no cost`),
    );
    writeFileSync(file(), '{}');
    expect(examined()[0]).to.match(/^fault data\/prices\.json/);
  });

  it('is what orb doctor asks for when the price file is old', async () => {
    writeFileSync(
      join(home, 'data/platform.json'),
      JSON.stringify({ providers: { vendor: { ...providers.vendor, config: { models: { fast: 'gpt-x' } } } } }),
    );
    await call({ format: 'litellm' });
    expect(examined()).to.deep.equal(['ok all models in use have prices, 0 days old']);
    const soon = Date.now() / 1000 + 60;
    utimesSync(file(), soon, soon);
    expect(examined()).to.deep.equal(['ok all models in use have prices, 0 days old']);
    const then = Date.now() / 1000 - 100 * 86_400;
    utimesSync(file(), then, then);
    expect(examined()[0])
      .to.include('100 days old')
      .and.match(/^warning/);
    writeFileSync(join(home, 'data/platform.json'), JSON.stringify({ providers: { mail: providers.mail } }));
    expect(examined()).to.deep.equal([]);
  });

  const read = (plugins: object): string => {
    const faults: string[] = [];
    budgetFiles.read({ config: { home, plugins: plugins as never } }, faults);
    return faults.join('\n');
  };

  it('writes where the settings say, and a named file that is missing is a fault', () => {
    expect(read({})).to.equal('');
    expect(read({ budgets: { config: { prices: 'data/mine.json' } } })).to.include('there is no file');
    writeFileSync(join(home, 'data/mine.json'), '{}');
    expect(read({ budgets: { config: { prices: 'data/mine.json' } } })).to.include('data/mine.json');
    const alike = { scope: 'key', per: 'day' };
    expect(read({ budgets: { config: { budgets: [alike] } } })).to.include('give either tokens or nanos');
    expect(read({ budgets: false })).to.equal('');
  });
});
