import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import type { Answer } from '../../../helpers/platform.ts';
import { startBed, type Bed } from '../bed.ts';
import { checkChunks, checkMessageEvents, eventsOf } from '../events.ts';
import { answer, chunk, data, fineChat, fineMessage, rows, type Row } from './rows.ts';

const doors = { openai: '/v1/chat/completions', anthropic: '/v1/messages' } as const;

describe('a hostile vendor', () => {
  let bed: Bed;
  let server: Server;
  let row: Row | undefined;
  const asked: string[] = [];
  before(async () => {
    server = createServer((request, response) => {
      // The list of models is read by a look at the health of a provider, whenever that is due.
      if (request.url !== '/v1/models') asked.push(request.url ?? '');
      request.resume();
      response.on('error', () => undefined);
      void answer(response, row ?? (request.url?.includes('messages') === true ? fineMessage : fineChat));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const timers = { base_url, api_key: { $env: 'VENDOR_KEY' }, first_part_timeout_ms: 300, idle_timeout_ms: 200 };
    bed = await startBed({
      env: { VENDOR_KEY: 'sk-0123456789' },
      platform: {
        providers: {
          chat: { adapter: 'llm/openai-compatible', config: { ...timers, models: { openai: {} } } },
          messages: { adapter: 'llm/anthropic', config: { ...timers, models: { anthropic: {} } } },
        },
      },
    });
  });
  afterEach(async () => {
    row = undefined;
    for (const model of ['openai', 'anthropic']) expect((await ask(model, '/v1/messages', false)).status).to.equal(200);
  });
  after(async () => {
    await bed.platform.stop();
    server.closeAllConnections();
    server.close();
  });
  const ask = (model: string, path: string, stream: boolean) =>
    bed.post(path, { model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], stream }).catch(cut);
  const newest = async () => {
    const { run_id } = (await bed.platform.call('GET', '/runs?limit=1')).body.runs[0];
    const run = (await bed.platform.call('GET', `/runs/${run_id}`)).body;
    const { body } = await bed.platform.call('GET', `/receipts/${run.receipt_id}`);
    return { run, facts: body.statement.predicate.facts };
  };

  for (const one of rows)
    it(`with ${one.name} (${one.vendor}) has a defined outcome at both doors`, async () => {
      for (const [door, path] of Object.entries(doors)) {
        row = one;
        const { length } = asked;
        const response = await ask(one.vendor, path, one.whole === undefined);
        const { facts, run } = await newest();
        expect(asked.slice(length), 'one call, and nothing that it names').to.have.length(1);
        expect(run.status).to.equal(one.content === undefined ? 'failed' : 'completed');
        if (one.content !== undefined) expect(textOf(response, door, one.whole === undefined)).to.equal(one.content);
        else if (response.status === 0) expect(run.reason).to.be.oneOf(['stream_interrupted', one.code]);
        else expect([one.code, response.status >= 400]).to.deep.equal([run.reason, true]);
        if (one.usage !== undefined) expect(facts.usage).to.deep.equal(one.usage);
        if (one.answered !== undefined) expect(facts.model.answered ?? null).to.equal(one.answered);
        row = undefined;
        await ask(one.vendor, path, false);
      }
    });
});

describe('a vendor that sends without an end', function () {
  this.timeout(60_000);
  const MiB = 2 ** 20;
  const text = 'x'.repeat(65_536);
  let bed: Bed;
  let server: Server;
  let sent = 0;
  let type = '';
  let parts: { readonly first: string; readonly next: string };
  before(async () => {
    server = createServer((request, response) => {
      request.resume();
      response.on('error', () => undefined);
      // The probe of the provider.
      if (request.method === 'GET') response.end('{"data":[]}');
      else void flood(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const config = { base_url, dialect: 'vllm', models: { fast: {} } };
    bed = await startBed({ platform: { providers: { chat: { adapter: 'llm/openai-compatible', config } } } });
  });
  after(async () => {
    await bed.platform.stop();
    server.closeAllConnections();
    server.close();
  });
  function* endless(): Iterable<string> {
    yield parts.first;
    for (sent = 0; ; sent += parts.next.length) yield parts.next;
  }
  const flood = async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, { 'content-type': type });
    await pipeline(endless(), response).catch(() => undefined);
  };

  // Beyond the bound of an event, or of an answer, only the buffers of the sockets may fill.
  for (const [name, more, most] of [
    ['one event', { type: 'text/event-stream', parts: { first: 'data: {"a":"', next: text } }, 16],
    ['events of pieces', { type: 'text/event-stream', parts: { first: '', next: chunk({ content: text }) } }, 64],
    ['events without pieces', { type: 'text/event-stream', parts: { first: '', next: data({ a: text }) } }, 64],
    ['comments', { type: 'text/event-stream', parts: { first: '', next: `: ${text}\n` } }, 64],
    ['one document', { type: 'application/json', parts: { first: '{"a":"', next: text } }, 64],
  ] as const)
    it(`is cut off after ${most} MiB of ${name}, and the run fails`, async () => {
      ({ type, parts } = more);
      const asked = { model: 'fast', messages: [{ role: 'user', content: 'hi' }], stream: type !== 'application/json' };
      const response = await bed.post('/v1/chat/completions', asked).catch(cut);
      expect(response.status, response.text).to.be.oneOf([0, 502]);
      expect(sent / MiB).to.be.within(most - 1, most + 15);
      const { status, reason } = (await bed.platform.call('GET', '/runs?limit=1')).body.runs[0];
      expect([status, reason]).to.deep.equal([
        'failed',
        name === 'events of pieces' ? 'stream_interrupted' : 'provider_failed',
      ]);
    });
});

// A stream that failed is cut: its client gets no answer.
const cut = () => ({ status: 0, text: '', body: undefined });

function textOf(
  { text, body }: Pick<Answer, 'body'> & { readonly text: string },
  door: string,
  streamed: boolean,
): string {
  if (!streamed) return String(door === 'openai' ? body.choices[0].message.content : body.content[0].text);
  const events = eventsOf(text);
  if (door === 'openai') checkChunks(events, { usage: false });
  else checkMessageEvents(events);
  const pieces = events.map(({ data: told }) =>
    door === 'openai' ? told.choices?.[0]?.delta.content : told.delta?.text,
  );
  return pieces.filter((found) => found !== undefined).join('');
}
