import { expect } from 'chai';
import { ProviderError } from '../../../../kernel/adapter.ts';
import { Receiver } from '../../../../providers/vendor/http/receiver.ts';

const block = Buffer.alloc(40 * 1024);

describe('the receiver of an answer of a vendor', () => {
  let told: string[];
  let ending: AbortController;
  const controller = {
    abort: (reason: Error) => void told.push(`abort: ${reason.message}`),
    pause: () => void told.push('pause'),
    resume: () => void told.push('resume'),
  };
  beforeEach(() => {
    told = [];
    ending = new AbortController();
  });

  function begin(): Receiver {
    const explain = (_: unknown, written: boolean) => new ProviderError(written ? 'unknown' : 'not_sent', 'failed');
    const receiver = new Receiver(ending.signal, explain);
    receiver.head.catch(() => undefined);
    return receiver;
  }
  function answered(): Receiver {
    const receiver = begin();
    receiver.onRequestStart(controller);
    receiver.onResponseStart(controller, 200, {});
    return receiver;
  }
  const outcomeOf = async ({ head }: Receiver): Promise<string> =>
    head.then(
      ({ status }) => `${status}`,
      (error: unknown) => (error as ProviderError).outcome,
    );

  it('takes no interim answer for the answer', async () => {
    const receiver = begin();
    receiver.onRequestStart(controller);
    receiver.onResponseStart(controller, 103, {});
    receiver.onResponseError(controller, new Error('broken'));
    expect(await outcomeOf(receiver)).to.equal('unknown');
  });

  it('never lets a request be written whose call has ended', async () => {
    const receiver = begin();
    ending.abort();
    expect(await outcomeOf(receiver)).to.equal('not_sent');
    receiver.onRequestStart(controller);
    expect(told).to.deep.equal(['abort: aborted']);
  });

  it('stops the connection while its reader is behind, and goes on when it has caught up', async () => {
    const receiver = answered();
    for (let count = 0; count < 2; count += 1) receiver.onResponseData(controller, block);
    expect(told).to.deep.equal(['pause']);
    await receiver.next();
    expect(told).to.deep.equal(['pause', 'resume']);
    receiver.onResponseEnd();
    expect([(await receiver.next()).value, (await receiver.next()).done]).to.deep.equal([block, true]);
  });

  it('gives what came before a failure, and then the failure', async () => {
    const receiver = answered();
    receiver.onResponseData(controller, block);
    receiver.onResponseError(controller, new Error('reset'));
    expect((await receiver.next()).value).to.equal(block);
    expect(await receiver.next().catch((error: unknown) => (error as Error).message)).to.equal('reset');
  });

  it('ends the connection at once when its call ends', async () => {
    const receiver = answered();
    const reading = receiver.next().catch((error: unknown) => (error as Error).message);
    ending.abort();
    expect([await reading, told]).to.deep.equal(['aborted', ['abort: aborted']]);
  });

  it('keeps the connection when the rest comes soon after the last read', async () => {
    const receiver = answered();
    for await (const _ of (receiver.onResponseData(controller, block), receiver)) break;
    receiver.onResponseData(controller, Buffer.from('rest'));
    receiver.onResponseEnd();
    ending.abort();
    expect(told).to.deep.equal([]);
  });

  it('ends the connection when the rest is late, or long', async () => {
    const late = Promise.withResolvers<string>();
    const slow = begin();
    slow.onRequestStart({ ...controller, abort: ({ message }) => late.resolve(message) });
    slow.onResponseStart(controller, 200, {});
    await slow.return();
    expect(await late.promise).to.equal('the rest is late');
    slow.onResponseError(controller, new Error('aborted'));
    const long = answered();
    await long.return();
    for (let count = 0; count < 2; count += 1) long.onResponseData(controller, block);
    long.onResponseEnd();
    expect(told).to.deep.equal(['abort: the rest is too long']);
  });
});
