import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { startBed, type Bed } from '../bed.ts';
import { eventsOf, type SentEvent } from '../events.ts';
import { fixtures } from './fixtures.ts';
import { adapters, aliasOf, nanosOf, prices } from './prices.ts';
import { chatUsage, messageUsage, receiptUsage, written } from './shown.ts';
import { send, sendAnswer } from './vendor.ts';

describe('the counts of a call of a model', function () {
  let bed: Bed;
  let server: Server;
  before(async () => {
    server = createServer((request, response) => {
      const answer = async (): Promise<void> => {
        if (request.method !== 'POST') return void response.end('{"data":[]}');
        const { model, stream } = (await json(request)) as { readonly model: string; readonly stream?: boolean };
        if (model === 'embed')
          return send(response, { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 12 } });
        const found = fixtures.find((one) => aliasOf(one) === model);
        if (found !== undefined) sendAnswer(response, found, stream === true);
      };
      void answer();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const models = (vendor: string) =>
      Object.fromEntries(fixtures.filter((one) => one.vendor === vendor).map((one) => [aliasOf(one), {}]));
    bed = await startBed({
      env: { VENDOR_KEY: 'sk-0123456789' },
      platform: {
        providers: {
          openai: { adapter: adapters.openai, config: { base_url, models: { ...models('openai'), embed: {} } } },
          anthropic: {
            adapter: adapters.anthropic,
            config: { base_url, api_key: { $env: 'VENDOR_KEY' }, models: models('anthropic') },
          },
        },
      },
      data: { 'prices.json': prices },
    });
  });
  after(async () => {
    await bed.platform.stop();
    server.closeAllConnections();
    server.close();
  });

  const factsOf = async ({ receipt_id }: { readonly receipt_id: string }) =>
    (await bed.platform.call('GET', `/receipts/${receipt_id}`)).body.statement.predicate.facts;
  const usedBy = async (model: string) => {
    const { usage } = (await bed.platform.call('GET', '/usage?by=model')).body;
    return (usage as { readonly model: string }[]).find((row) => row.model === model);
  };

  for (const fixture of fixtures)
    it(`are the same everywhere, streamed or not: ${fixture.vendor}, ${fixture.name}`, async () => {
      const { expected } = fixture;
      const model = aliasOf(fixture);
      const cost = nanosOf(expected);
      for (const stream of [false, true])
        for (const door of ['chat', 'messages'] as const) {
          const asked = { model, stream, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
          const path = door === 'chat' ? '/v1/chat/completions' : '/v1/messages';
          const options = stream && door === 'chat' ? { stream_options: { include_usage: true } } : {};
          const { body, status, text } = await bed.post(path, { ...asked, ...options });
          expect(status, text).to.equal(200);
          const { orb, usage } = stream ? lastOf(eventsOf(text), door) : body;
          const shown = door === 'chat' ? chatUsage(expected) : messageUsage(expected);
          expect(usage, `${door} ${String(stream)}`).to.deep.equal(shown);
          if (door === 'messages') expect(orb.usage).to.equal(chatUsage(expected) === undefined ? 'absent' : undefined);
          expect(orb.cost).to.deep.equal(cost === undefined ? undefined : { amount_nanos: cost, currency: 'USD' });
          const facts = await factsOf(orb);
          expect(facts.usage).to.deep.equal(receiptUsage(expected));
          expect(facts.cost?.amount_nanos).to.equal(cost);
        }
      const count = (told: number | undefined): number => 4 * (told ?? 0);
      expect(await usedBy(model)).to.deep.include({
        ...{
          calls: 4,
          unknown_calls: expected.source === 'vendor' ? 0 : 4,
          unpriced_calls: cost === undefined ? 4 : 0,
        },
        ...{ input_tokens: count(expected.input_tokens), output_tokens: count(expected.output_tokens) },
        ...{ cache_read_tokens: count(expected.cache_read_tokens), cache_write_tokens: count(written(expected)) },
        ...{ reasoning_tokens: count(expected.reasoning_tokens), cost_nanos: count(cost) },
      });
    });

  it('of embeddings sum exactly, although one costs less than a micro-dollar', async function () {
    // MODEL_EMBEDDINGS=1000000: that many.
    const calls = Number(process.env['MODEL_EMBEDDINGS'] ?? 25);
    this.timeout(10_000 + calls * 10);
    let at = 0;
    const ask = async (): Promise<void> => {
      while (at < calls) {
        const own = at++;
        const { body } = await bed.post('/v1/embeddings', { model: 'embed', input: 'hi' });
        expect(body.orb.cost).to.deep.equal({ amount_nanos: 240, currency: 'USD' });
        if (own >= 25) continue;
        expect((await factsOf(body.orb)).usage).to.deep.equal({ input_tokens: 12, source: 'vendor' });
      }
    };
    await Promise.all(Array.from({ length: 32 }, ask));
    expect(await usedBy('embed')).to.deep.include({ calls, input_tokens: 12 * calls, cost_nanos: 240 * calls });
  });
});

function lastOf(events: readonly SentEvent[], door: 'chat' | 'messages') {
  const all = events.map(({ data }) => data);
  const orb = all.find((data) => data.orb !== undefined)?.orb;
  const usage =
    door === 'chat'
      ? all.find(({ choices }) => choices?.length === 0)?.usage
      : all.find(({ type }) => type === 'message_delta')?.usage;
  return { orb, usage };
}
