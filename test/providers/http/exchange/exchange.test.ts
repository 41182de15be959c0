import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { exchange } from '../../../../providers/http/exchange/exchange.ts';
import type { Receiver } from '../../../../providers/http/exchange/receiver.ts';

const request = { origin: 'http://a.test', path: '/', method: 'GET', headers: {}, body: undefined } as const;
const limits = { timeoutMs: 60_000, maxBytes: 10 };

describe('an exchange', () => {
  const aborts: string[] = [];
  const never = (): never => expect.fail('an exchange is read to its cap, without a pause');
  const controller = { abort: (reason: Error) => void aborts.push(reason.message), pause: never, resume: never };
  beforeEach(() => void (aborts.length = 0));

  /** Makes an exchange whose receiver is told so; `end` aborts its signal. */
  function begin(tell: (receiver: Receiver) => void, more: object = {}) {
    const deadline = new AbortController();
    const all = { ...limits, signal: deadline.signal, ...more };
    const received = exchange((_, receiver) => tell(receiver), request, all);
    return { received, end: () => deadline.abort() };
  }
  const failed = async (received: Promise<unknown>): Promise<unknown[]> => {
    const error = await received.catch((thrown: unknown) => thrown);
    return error instanceof ProviderError ? [error.outcome, error.phase] : [error];
  };

  it('that has ended is not touched by its signal any more: the connection serves others', async () => {
    const { received, end } = begin((receiver) => {
      receiver.onRequestStart(controller);
      receiver.onResponseStart(controller, 200, {});
      receiver.onResponseEnd();
    });
    expect((await received).status).to.equal(200);
    end();
    expect(aborts).to.deep.equal([]);
  });

  it('takes its phase from the clock that ended it, and cuts its connection', async () => {
    const slow = begin((receiver) => receiver.onRequestStart(controller), { timeoutMs: 5 });
    expect(await failed(slow.received)).to.deep.equal(['unknown', 'timeout']);
    slow.end();
    const late = begin((receiver) => receiver.onRequestStart(controller));
    late.end();
    expect(await failed(late.received)).to.deep.equal(['unknown', 'deadline']);
    expect(aborts).to.deep.equal(['the time is up', 'the time is up']);
  });

  it('that is given up before it was written is never written', async () => {
    let waiting: Receiver | undefined;
    const { received, end } = begin((receiver) => (waiting = receiver));
    end();
    expect(await failed(received)).to.deep.equal(['not_sent', 'deadline']);
    waiting?.onRequestStart(controller);
    expect(aborts).to.deep.equal(['given up']);
  });

  it('takes no interim answer for the answer', async () => {
    const { received } = begin((receiver) => {
      receiver.onRequestStart(controller);
      receiver.onResponseStart(controller, 103, { link: 'early' });
      receiver.onResponseError(controller, new Error('broken'));
    });
    expect(await failed(received)).to.deep.equal(['unknown', 'data']);
  });

  it('keeps no byte beyond the cap, however many come', async () => {
    const { received } = begin((receiver) => {
      receiver.onRequestStart(controller);
      receiver.onResponseStart(controller, 200, {});
      for (const text of ['12345678', 'abcdefgh', 'more']) receiver.onResponseData(controller, Buffer.from(text));
      receiver.onResponseEnd();
    });
    expect(await received).to.deep.include({ capped: true, body: Buffer.from('12345678ab') });
    expect(aborts[0]).to.equal('the body is longer than the cap');
  });
});
