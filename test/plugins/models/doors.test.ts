import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import { said, startBed, usage, type Bed } from './bed.ts';

const chat = { model: 'fast', messages: [{ role: 'user', content: 'hi' }] };
const message = { ...chat, max_tokens: 50 };
const doors = [
  { name: 'chat completions', path: '/v1/chat/completions', body: chat },
  { name: 'messages', path: '/v1/messages', body: message },
] as const;

describe('the doors of models', () => {
  let bed: Bed;
  before(async () => void (bed = await startBed()));
  beforeEach(() => bed.answer(async () => said('hello')));
  after(async () => bed.platform.stop());

  it('answer a chat completion with its run and receipt', async () => {
    const response = await bed.post('/v1/chat/completions', chat);
    const { body } = response;
    expect(response.status, JSON.stringify(body)).to.equal(200);
    const { run_id, receipt_id } = body.orb;
    expect(body).to.deep.include({
      ...{ id: `chatcmpl-${run_id.slice(4)}`, object: 'chat.completion', model: 'vendor-model-1' },
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    });
    expect(body.choices[0]).to.deep.include({
      message: { role: 'assistant', content: 'hello', refusal: null },
      finish_reason: 'stop',
    });
    expect(response.headers.get('x-orb-run-id')).to.equal(run_id);
    expect(response.headers.get('x-orb-provider')).to.equal('vendor');
    expect(response.headers.get('request-id')).to.equal(response.headers.get('x-request-id'));
    const receipt = await bed.platform.call('GET', `/receipts/${receipt_id}`);
    expect(receipt.body.signature_valid).to.equal(true);
    expect((await bed.platform.call('GET', `/runs/${run_id}`)).body.status).to.equal('completed');
  });

  it('answer a message with its run and receipt', async () => {
    const response = await bed.post('/v1/messages', message, { headers: { 'anthropic-version': '2023-06-01' } });
    const { body } = response;
    expect(body).to.deep.include({
      ...{ id: body.orb.run_id.replace('run_', 'msg_'), type: 'message', role: 'assistant', model: 'vendor-model-1' },
      ...{ content: [{ type: 'text', text: 'hello', citations: null }], stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: 12, output_tokens: 3 },
    });
    expect(bed.calls.at(-1)).to.deep.equal({ ...chat, max_output_tokens: 50 });
  });

  it('answer embeddings as numbers or bytes', async () => {
    bed.answer(async () => ({ model: 'v', embeddings: [[1, 2]], usage: { input_tokens: 2, source: usage.source } }));
    const ask = async (more: object) => (await bed.post('/v1/embeddings', { model: 'e', input: 'hi', ...more })).body;
    expect((await ask({})).data).to.deep.equal([{ object: 'embedding', index: 0, embedding: [1, 2] }]);
    expect((await ask({ encoding_format: 'base64' })).data[0].embedding).to.equal('AACAPwAAAEA=');
  });

  for (const { name, path, body } of doors) {
    it(`take the key of ${name} in each header that clients use`, async () => {
      for (const keyHeader of ['authorization', 'x-api-key', 'api-key']) {
        const key = keyHeader === 'authorization' ? `Bearer ${bed.platform.adminKey}` : bed.platform.adminKey;
        expect((await bed.post(path, body, { keyHeader, key })).status, keyHeader).to.equal(200);
        const refused = await bed.post(path, body, { keyHeader, key: `${key.slice(0, -1)}_` });
        expect(refused.status, keyHeader).to.equal(401);
      }
    });

    it(`answer ${name} of an Orbiset below its path`, async () => {
      expect((await bed.post(`/orbisets/default${path}`, body)).status).to.equal(200);
      expect((await bed.post(`/orbisets/nowhere${path}`, body)).status).to.equal(404);
    });

    it(`do the work of an Idempotency-Key of ${name} once`, async () => {
      const headers = { 'idempotency-key': `key-${name.length}` };
      const before = bed.calls.length;
      const { body: first } = await bed.post(path, body, { headers });
      const second = await bed.post(path, body, { headers });
      expect(second.body.orb).to.deep.equal(first.orb);
      expect(second.headers.get('idempotent-replayed')).to.equal('true');
      expect(bed.calls.length).to.equal(before + 1);
      // The stream of a replayed answer is whole, too.
      const { text } = await bed.post(path, { ...body, stream: true }, { headers });
      expect(text).to.contain('hello');
      expect(text).to.contain(first.orb.receipt_id);
      expect(bed.calls.length).to.equal(before + 1);
    });

    it(`refuse a request of ${name} before there is a run`, async () => {
      const before = bed.calls.length;
      const response = await bed.post(path, { ...body, top_k: 1, logprobs: true });
      expect(response.status).to.equal(400);
      expect(response.headers.get('x-should-retry')).to.equal('false');
      expect((await bed.post(path, '{')).status).to.equal(400);
      expect(bed.calls.length).to.equal(before);
    });

    it(`answer a refusal of the provider of ${name} in the form of the door`, async () => {
      bed.answer(async () => {
        throw new ProviderError('rejected', 'the prompt is too long');
      });
      for (const stream of [false, true]) {
        const response = await bed.post(path, { ...body, stream });
        const { error } = response.body;
        expect(response.status).to.equal(400);
        expect(error.type).to.equal('invalid_request_error');
        expect(error.message).to.contain('the prompt is too long');
        expect(error.orb).to.have.property('receipt');
        expect(response.headers.get('x-orb-run-id')).to.equal(error.orb.run_id);
      }
    });
  }

  it('take a request of more than 1 MiB, and none of more than 16 MiB', async () => {
    const image = (bytes: number) => ({
      ...chat,
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(bytes)}` } }],
        },
      ],
    });
    expect((await bed.post('/v1/chat/completions', image(3 * 1024 * 1024))).status).to.equal(200);
    const refused = await bed.post('/v1/chat/completions', image(17 * 1024 * 1024));
    expect([refused.status, refused.body.error.code]).to.deep.equal([413, 'payload_too_large']);
  });

  it('refuse a key without the scope of the Orb', async () => {
    const key = await bed.platform.key({ scopes: ['orbs:execute:demo.*'] });
    const response = await bed.post('/v1/messages', message, { key });
    expect([response.status, response.body.error.type]).to.deep.equal([403, 'permission_error']);
  });
});
