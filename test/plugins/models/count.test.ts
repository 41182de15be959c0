import Anthropic from '@anthropic-ai/sdk';
import { expect } from 'chai';
import { anthropicContract, key as vendorKey, tokensCounted } from '../../providers/llm/vendors/anthropic.ts';
import { bodyOf, startDouble, type ModelDouble } from '../../providers/llm/vendors/double.ts';
import { startBed, type Bed } from './bed.ts';

const path = '/v1/messages/count_tokens';
const messages = [{ role: 'user' as const, content: 'hi' }];
const tools = [{ name: 'look', input_schema: { type: 'object' as const } }];
const models = (name: string) => ({ [name]: { name: 'claude-6', max_output_tokens: 9 } });

describe('the counting of tokens', () => {
  let bed: Bed;
  let vendor: ModelDouble;
  before(async () => {
    vendor = await startDouble(anthropicContract);
    const anthropic = { api_key: { $env: 'VENDOR_KEY' }, base_url: `${vendor.url}/v1`, models: models('smart') };
    const other = { dialect: 'vllm', base_url: `${vendor.url}/v1`, models: models('local') };
    bed = await startBed({
      env: { VENDOR_KEY: vendorKey },
      platform: {
        providers: {
          claude: { adapter: 'llm/anthropic', config: anthropic },
          local: { adapter: 'llm/openai-compatible', config: other },
          canned: { adapter: 'llm/canned', config: { answers: [{ content: 'a', usage: { input_tokens: 0 } }] } },
        },
        plugins: { budgets: { config: { budgets: [{ scope: 'key', per: 'day', tokens: 1 }] } } },
      },
    });
  });
  beforeEach(() => {
    vendor.manners.fault = undefined;
  });
  after(async () => {
    await bed?.platform.stop();
    await vendor.close();
  });
  const run = async (id: string) => (await bed.platform.call('GET', `/runs/${id}`)).body;

  it('is done by the vendor, of all that the conversation has', async () => {
    const body = { model: 'smart', messages, system: 'Be brief', tools, thinking: { type: 'adaptive' } };
    const response = await bed.post(path, body);
    expect(response.status, response.text).to.equal(200);
    const { input_tokens, orb } = response.body;
    expect(input_tokens).to.equal(tokensCounted);
    expect(bodyOf(vendor.posts.at(-1))).to.deep.equal({
      model: 'claude-6',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      system: [{ type: 'text', text: 'Be brief' }],
      tools,
    });
    expect(response.headers.get('x-orb-run-id')).to.equal(orb.run_id);
    expect(response.headers.get('x-orb-provider')).to.equal('claude');
  });

  it('is a run with a receipt, without usage and cost, and takes nothing of a budget', async () => {
    const { body } = await bed.post(path, { model: 'smart', messages });
    expect(await run(body.orb.run_id)).to.include({ status: 'completed', orb_id: 'llm.count@1.0.0' });
    const { body: receipt } = await bed.platform.call('GET', `/receipts/${body.orb.receipt_id}`);
    expect(receipt.signature_valid).to.equal(true);
    expect(receipt.statement.predicate.facts).to.not.have.any.keys('usage', 'cost', 'model');
    expect((await bed.platform.call('GET', '/usage')).body.usage).to.deep.equal([]);
    expect((await bed.platform.call('GET', '/budgets')).body.budgets).to.deep.equal([]);
  });

  it('serves the client of the vendor unchanged, in an Orbiset, too', async () => {
    const client = new Anthropic({ baseURL: bed.platform.url, apiKey: bed.platform.adminKey, maxRetries: 0 });
    const asked = { model: 'smart', messages, tools };
    expect((await client.messages.countTokens(asked)).input_tokens).to.equal(tokensCounted);
    const inOrbiset = client.withOptions({ baseURL: `${bed.platform.url}/orbisets/default` });
    expect((await inOrbiset.messages.countTokens(asked)).input_tokens).to.equal(tokensCounted);
  });

  it('is refused by a provider that cannot count: nothing is guessed, and no other provider is asked', async () => {
    const before = vendor.posts.length;
    const { body, headers, status } = await bed.post(`${path}?beta=true`, { model: 'local', messages });
    expect([status, body.type, body.error.type]).to.deep.equal([501, 'error', 'api_error']);
    expect(body.error.details.error_code).to.equal('token_count_unavailable');
    expect(body.error.message).to.equal('vLLM cannot count the tokens of a request');
    expect(headers.get('x-should-retry')).to.equal('false');
    expect(await run(body.error.orb.run_id)).to.include({ status: 'failed', reason: 'provider_rejected' });
    expect(vendor.posts).to.have.length(before);
  });

  it('answers a zero that the provider reported, with a key for tests', async () => {
    const key = await bed.platform.key({ scopes: ['orbs:execute'], mode: 'test' });
    const { body } = await bed.post(path, { model: 'any', messages }, { key });
    expect(body.input_tokens).to.equal(0);
  });

  const faults = [
    ['a refusal', { status: 400, body: { type: 'error', error: { type: 'invalid_request_error' } } }, 400],
    [
      'a rate limit',
      { status: 429, headers: { 'retry-after': '0' }, body: { type: 'error', error: { type: 'rate_limit_error' } } },
      529,
    ],
    ['a text in place of the count', { status: 200, body: { input_tokens: '7' } }, 502],
  ] as const;
  for (const [name, fault, status] of faults)
    it(`fails in the form of the door after ${name}`, async () => {
      vendor.manners.fault = fault;
      const response = await bed.post(path, { model: 'smart', messages });
      expect([response.status, response.body.type]).to.deep.equal([status, 'error']);
    });

  it('takes no parameter of an answer, and needs the scope of its Orb', async () => {
    expect((await bed.post(path, { model: 'smart', messages, max_tokens: 1 })).status).to.equal(400);
    const key = await bed.platform.key({ scopes: ['orbs:execute:llm.chat@1.0.0'] });
    expect((await bed.post(path, { model: 'smart', messages }, { key })).status).to.equal(403);
  });
});
