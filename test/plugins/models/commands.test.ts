import { expect } from 'chai';
import { createClient } from '../../../kernel/cli/command/client.ts';
import { ProviderError } from '../../../kernel/adapter.ts';
import { runCommand, shippedCommand } from '../../helpers/command.ts';
import { priced } from '../budgets/prices/priced.ts';
import { said, startBed, usage, type Bed } from './bed.ts';

const orbiset = { id: 'none', tenant: 'default', orbs: ['llm.*'] };
const models = { fast: { name: 'big-1' }, free: {} };
const prices = [
  priced({ input: '3', output: '15' }, { adapter: 'llm/script', model: 'big-1', provider: 'one' }),
  priced({ input: '1' }, { adapter: 'llm/script', model: 'big-1', provider: 'two' }),
];

describe('orb models', () => {
  let bed: Bed;
  before(async () => {
    const provider = { adapter: 'llm/script', config: { models } };
    bed = await startBed({
      platform: {
        providers: { one: provider, two: provider },
        plugins: { budgets: { config: { unpriced: 'allow' } } },
      },
      data: { 'prices.json': { version: 1, prices }, 'orbisets/none.json': { ...orbiset, providers: ['elsewhere'] } },
    });
  });
  beforeEach(() => bed.answer(async () => said('OK')));
  after(() => bed.platform.stop());

  const call = (
    path: string,
    args: readonly string[],
    more: { readonly key?: string; readonly options?: object } = {},
  ) =>
    runCommand<{ readonly orb: { readonly receipt_id: string } }>(shippedCommand(path), bed.platform.home, args, {
      options: (more.options ?? {}) as Record<string, string>,
      client: () => createClient({ ORB_URL: bed.platform.url, ORB_KEY: more.key ?? bed.platform.adminKey }, ''),
    });
  const failed = (...asked: Parameters<typeof call>): Promise<string> =>
    call(...asked).then(
      () => expect.fail('it did not fail'),
      (error: unknown) => (error as Error).message,
    );
  const lines = (text: string): readonly string[] => text.split('\n').map((line) => line.replace(/ {2,}/g, ' | '));

  it('list shows the models with their providers in order, and the prices of the first one', async () => {
    const { text } = await call('models list', []);
    expect(lines(text)).to.deep.equal([
      ...['MODEL | PROVIDERS | INPUT | OUTPUT', 'fast | one, two | $3 | $15', 'free | one, two'],
    ]);
    expect((await call('models list', [], { options: { orbiset: 'none' } })).text).to.equal('none');
  });

  it('test makes one call, and shows what answered, its usage, its cost and its receipt', async () => {
    const before = bed.calls.length;
    const { text, value } = await call('models test', ['fast']);
    expect(bed.calls.length).to.equal(before + 1);
    expect(bed.calls.at(-1)).to.include({ model: 'fast', max_output_tokens: 16 });
    const { receipt_id } = value.orb;
    expect(lines(text).slice(0, 6)).to.deep.equal([
      ...['model | fast, answered by vendor-model-1', 'provider | one', 'finish | stop'],
      ...['usage | 12 input tokens, 3 output tokens', 'cost | $0.000081', `receipt | ${receipt_id}`],
    ]);
    const receipt = await bed.platform.call('GET', `/receipts/${receipt_id}`);
    expect(receipt.body.signature_valid).to.equal(true);
  });

  it('test says what is not known, and never guesses it', async () => {
    bed.answer(async () => said('OK', { model: 'free', finish_reason: 'length', usage: { source: 'absent' } }));
    const { text } = await call('models test', ['free']);
    expect(lines(text).slice(0, 5)).to.deep.equal([
      ...['model | free', 'provider | one', 'finish | length', 'usage | unknown: the provider reported none'],
      'cost | unknown: without usage or without a price',
    ]);
  });

  it('test asks for a vector by --embed', async () => {
    bed.answer(async () => ({ model: 'v', embeddings: [[1]], usage: { input_tokens: 2, source: usage.source } }));
    const { text } = await call('models test', ['fast'], { options: { embed: true } });
    expect(lines(text)).to.include('usage | 2 input tokens').and.include('model | fast, answered by v');
  });

  it('test shows no provider to a key that may not read its run', async () => {
    const key = await bed.platform.key({ scopes: ['orbs:execute:llm.chat@1.0.0'] });
    expect((await call('models test', ['fast'], { key })).text).to.include('receipt');
  });

  const rows: readonly {
    readonly name: string;
    readonly args?: readonly string[];
    readonly options?: object;
    readonly key?: object;
    readonly throws?: ProviderError;
    readonly says: RegExp;
  }[] = [
    { name: 'an unknown model', args: ['gpt'], says: /^there is no model gpt for this key; orb models list shows/ },
    { name: 'an unknown Orbiset', options: { orbiset: 'nowhere' }, says: /nowhere.* \(orbiset_not_found\)$/ },
    {
      name: 'a key without the scope',
      key: { scopes: ['runs:read'] },
      says: /the scope orbs:execute.* \(insufficient_scope\)$/,
    },
    {
      ...{ name: 'a refusal of the vendor', throws: new ProviderError('rejected', 'the prompt is too long') },
      says: /the prompt is too long.* \(provider_rejected, run run_\w+\)$/,
    },
    {
      ...{ name: 'a vendor that is away', throws: new ProviderError('not_sent', 'connection refused') },
      says: / \(provider_unavailable, run run_\w+\)$/,
    },
  ];
  for (const { name, args = ['fast'], options = {}, key, throws, says } of rows)
    it(`test says in one sentence why it failed: ${name}`, async () => {
      if (throws !== undefined) bed.answer(() => Promise.reject(throws));
      const made = key === undefined ? {} : { key: await bed.platform.key(key) };
      expect(await failed('models test', args, { options, ...made })).to.match(says);
    });

  it('says which server cannot be reached', async () => {
    const away = runCommand(shippedCommand('models test'), bed.platform.home, ['fast'], {
      client: () => createClient({ ORB_URL: 'http://127.0.0.1:1', ORB_KEY: 'k' }, ''),
    });
    const error = await away.catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('cannot reach http://127.0.0.1:1');
  });
});
