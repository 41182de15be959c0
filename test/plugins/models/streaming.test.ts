import { expect } from 'chai';
import { connect } from 'node:net';
import { ProviderError } from '../../../kernel/adapter.ts';
import { until } from '../../helpers/until.ts';
import { checkChunks, checkMessageEvents, eventsOf } from './events.ts';
import { said, startBed, type Bed } from './bed.ts';

const messages = [{ role: 'user', content: 'hi' }];
const doors = [
  { name: 'chat completions', path: '/v1/chat/completions', body: { model: 'fast', messages, stream: true } },
  { name: 'messages', path: '/v1/messages', body: { model: 'fast', messages, stream: true, max_tokens: 9 } },
] as const;

describe('the streams of the doors', () => {
  let bed: Bed;
  before(
    async () => void (bed = await startBed({ platform: { plugins: { models: { config: { keepalive_ms: 1000 } } } } })),
  );
  after(async () => bed.platform.stop());

  // Reads all bytes of an answer from the socket: what a client sees when the connection is cut.
  const raw = async ({ path, body }: (typeof doors)[number], stop?: (text: string) => boolean): Promise<string> => {
    const { hostname, port } = new URL(bed.platform.url);
    const text = JSON.stringify(body);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${bed.platform.adminKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
    );
    let read = '';
    try {
      for await (const chunk of socket.setEncoding('utf8')) {
        read += String(chunk);
        if (stop?.(read) === true) break;
      }
    } catch (error) {
      read += String((error as { readonly code?: string }).code);
    }
    socket.destroy();
    return read;
  };
  const newest = async () => (await bed.platform.call('GET', '/runs?limit=1')).body.runs[0];
  const ofChat = (path: string): boolean => path.endsWith('completions');

  for (const door of doors) {
    it(`of ${door.name} are whole, by the grammar, and end with a receipt that is durable`, async () => {
      bed.answer(async (_, { emit }) => {
        await emit?.({ type: 'usage', input_tokens: 12, source: 'partial' });
        for (const text of ['hel', 'lo']) await emit?.({ type: 'text', text });
        return said('hello');
      });
      const { headers, text } = await bed.post(door.path, door.body);
      const events = eventsOf(text);
      if (ofChat(door.path)) checkChunks(events, { usage: false });
      else checkMessageEvents(events);
      const { orb } = events.find(({ data }) => data.orb !== undefined)?.data;
      expect(orb.run_id).to.equal(headers.get('x-orb-run-id'));
      expect(headers.get('x-orb-provider')).to.equal('vendor');
      const receipt = await bed.platform.call('GET', `/receipts/${orb.receipt_id}`);
      expect([receipt.status, receipt.body.signature_valid]).to.deep.equal([200, true]);
    });

    it(`of ${door.name} send the first part before they take the next ones`, async () => {
      const taken: string[] = [];
      bed.answer(async (_, { emit }) => {
        for (const text of ['first', 'second', 'third']) {
          await emit?.({ type: 'text', text });
          taken.push(text);
        }
        return said('firstsecondthird');
      });
      const read = await raw(door, (text) => text.includes('first'));
      expect(read).not.to.contain('second');
      await until(
        () => taken.length,
        (length) => length === 3,
        'the run took all parts',
      );
    });

    it(`of ${door.name} have the status of a failure before the first part`, async () => {
      bed.answer(async () => {
        throw new ProviderError('not_sent', 'refused');
      });
      const { status, headers } = await bed.post(door.path, door.body);
      expect(status).to.equal(ofChat(door.path) ? 503 : 529);
      expect(headers.get('content-type')).to.equal('application/json');
    });

    it(`of ${door.name} that break off end with an error, and the connection is cut`, async () => {
      bed.answer(async (_, { emit }) => {
        await emit?.({ type: 'text', text: 'hel' });
        throw new ProviderError('unknown', 'reset', { phase: 'response' });
      });
      const text = await raw(door);
      expect(text).to.contain('hel').and.to.contain('stream_interrupted');
      // The last chunk of a whole answer.
      expect(text).not.to.match(/\r\n0\r\n\r\n$/);
      expect(text).not.to.contain('[DONE]').and.not.to.contain('message_stop');
      const run = await newest();
      expect([run.status, run.reason]).to.deep.equal(['failed', 'stream_interrupted']);
      expect(text).to.contain(run.run_id);
    });

    it(`of ${door.name} stay open while the provider thinks, and fail with an error after that`, async () => {
      const seen = Promise.withResolvers<void>();
      bed.answer(async () => {
        await seen.promise;
        throw new ProviderError('rejected', 'the prompt is too long');
      });
      const text = await raw(door, (read) => {
        if (/: still working|event: ping/.test(read)) seen.resolve();
        return false;
      });
      expect(text).to.match(/^HTTP\/1.1 200 OK/);
      expect(text)
        .to.contain('the prompt is too long')
        .and.not.to.match(/\r\n0\r\n\r\n$/);
    });

    it(`of ${door.name} without a reader stop the provider, and their memory is bounded`, async () => {
      let sent = 0;
      const stopped = Promise.withResolvers<void>();
      bed.answer(async (_, { emit, signal }) => {
        signal.addEventListener('abort', () => stopped.resolve());
        const text = 'x'.repeat(64 * 1024);
        for (; !signal.aborted; sent += text.length) await emit?.({ type: 'text', text });
        throw new ProviderError('unknown', 'aborted', { phase: 'response' });
      });
      await raw(door, (read) => read.includes('xxx'));
      await stopped.promise;
      // What sockets of loopback hold, and what waits in the line.
      expect(sent).to.be.below(32 * 1024 * 1024);
      const run = await until(newest, (found) => found.status === 'cancelled');
      expect(run.reason).to.equal('caller_gone');
    });

    it(`of ${door.name} with an Idempotency-Key go on without their caller`, async () => {
      const headers = { 'idempotency-key': `left-${door.name.length}` };
      const before = bed.calls.length;
      const going = Promise.withResolvers<void>();
      bed.answer(async (_, { emit }) => {
        await emit?.({ type: 'text', text: 'hel' });
        await going.promise;
        await emit?.({ type: 'text', text: 'lo' });
        return said('hello');
      });
      const abort = new AbortController();
      const asked = bed.post(door.path, door.body, { headers, signal: abort.signal }).catch(() => undefined);
      await until(
        () => bed.calls.length,
        (count) => count > before,
      );
      abort.abort();
      await asked;
      going.resolve();
      const again = await until(
        async () => bed.post(door.path, door.body, { headers }),
        ({ status }) => status === 200,
      );
      expect(again.text).to.contain('hello');
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect(bed.calls.length).to.equal(before + 1);
    });
  }
});
