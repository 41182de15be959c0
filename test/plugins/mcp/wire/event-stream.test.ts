import { expect } from 'chai';
import { eventStream } from '../../../../plugins/mcp/wire/event-stream.ts';

type Work = Parameters<typeof eventStream>[0];

describe('a stream of events', () => {
  /** Reads the stream of some work; the client is slow. */
  async function read(work: Work, gone: AbortSignal = new AbortController().signal): Promise<readonly unknown[]> {
    const { stream } = eventStream(work, { disconnected: gone });
    const found: unknown[] = [];
    for await (const text of stream as AsyncIterable<string>) {
      found.push(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? 'null'));
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    }
    return found;
  }
  const telling =
    (count: number): Work =>
    async ({ send }) => {
      send({ begun: true });
      // The client is busy with the first event.
      await new Promise(setImmediate);
      for (let at = 0; at < count; at += 1) send({ at });
      return { result: 'done' };
    };

  for (const count of [0, 1, 999, 1000, 1001, 5000])
    it(`ends with the last message, whatever waits before it (${count})`, async () => {
      const found = await read(telling(count));
      expect(found.at(-1)).to.deep.equal({ result: 'done' });
      expect(found.length).to.equal(Math.min(count, 1000) + 2);
    });

  it('breaks off without a last message when the work fails', async () => {
    const work = read(async ({ send }) => {
      send({ at: 0 });
      throw new Error('no result');
    });
    const error = await work.then(
      () => undefined,
      (found: unknown) => found,
    );
    expect(error).to.be.instanceOf(Error).and.to.have.property('message', 'no result');
  });

  it('has no last message for a client that has gone', async () => {
    const gone = new AbortController();
    const found = await read(async () => {
      gone.abort();
      return { result: 'done' };
    }, gone.signal);
    expect(found).to.deep.equal([]);
  });
});
