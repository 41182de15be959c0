import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderError } from '../../../kernel/adapter.ts';
import { until } from '../../helpers/until.ts';
import { StreamingBed } from './streaming-bed.ts';

const cut = (): never => {
  throw new ProviderError('rejected', 'the stream broke off');
};

describe('a run that streams', () => {
  let bed: StreamingBed;
  beforeEach(() => {
    bed = new StreamingBed();
  });
  afterEach(() => bed.platform.stop());

  it('gives its parts in order, and then the result, whose receipt is durable', async () => {
    await bed.start();
    bed.behaviour['a'] = async ({ emit }) => {
      await emit?.({ text: 'one' });
      await emit?.({ text: 'two' });
    };
    const { heard, result } = await bed.stream();
    expect(heard).to.deep.equal([{ provider: 'a' }, { text: 'one' }, { text: 'two' }]);
    const receipt = await bed.platform.call('GET', `/receipts/${result?.receipt.receipt_id}`);
    expect([result?.status, receipt.status]).to.deep.equal(['completed', 200]);
  });

  it('has nothing to emit to when its caller wants the whole alone', async () => {
    await bed.start();
    let found: boolean | undefined;
    bed.behaviour['a'] = (context) => void (found = 'emit' in context);
    const { heard, result } = await bed.stream({ stream: undefined });
    expect([heard, result?.status, found]).to.deep.equal([[], 'completed', false]);
  });

  it('goes on with the next provider before the first part', async () => {
    await bed.start();
    bed.behaviour['a'] = () => {
      throw new ProviderError('provider_fault', 'no credit');
    };
    bed.behaviour['b'] = async ({ emit }) => emit?.({ text: 'b' });
    const { heard, result } = await bed.stream();
    expect([heard, result?.outputs['by'], bed.calls]).to.deep.equal([
      [{ provider: 'b' }, { text: 'b' }],
      'b',
      ['a', 'b'],
    ]);
  });

  it('asks no other provider after a part: it ends as interrupted, a fault of the Orb, whatever the provider says', async () => {
    await bed.start();
    bed.behaviour['a'] = async ({ emit }) => {
      await emit?.({ text: 'half' });
      cut();
    };
    const { heard, code, run_id } = await bed.stream();
    expect([heard.length, code, bed.calls]).to.deep.equal([2, 'stream_interrupted', ['a']]);
    const { status, reason, facts, counts } = await bed.run(run_id ?? '');
    expect([status, reason, facts.outcome, counts]).to.deep.equal([
      ...['failed', 'stream_interrupted', 'unknown', 'orb_fault'],
    ]);
    expect(facts.attempts.map(({ outcome }: { outcome: string }) => outcome)).to.deep.equal(['unknown']);
    expect(facts.outputs).to.equal(undefined);
  });

  it('that breaks its outputs schema after a part says so, and nothing of a cut', async () => {
    await bed.start();
    bed.behaviour['a'] = async ({ emit }) => {
      await emit?.({ text: 'half' });
      return { token: undefined };
    };
    expect((await bed.stream()).code).to.equal('invalid_outputs');
    expect(bed.calls).to.deep.equal(['a']);
  });

  it('has all of the remaining time from its first part on, though another provider is left', async () => {
    await bed.start({ timeout_ms: 1000 });
    bed.behaviour['a'] = async ({ emit }) => {
      await emit?.({ text: 'half' });
      await sleep(700);
    };
    expect((await bed.stream()).result?.status).to.equal('completed');
    expect(bed.calls).to.deep.equal(['a']);
  });

  it('times out after a part when its deadline passes, and takes nothing more then', async () => {
    await bed.start({ timeout_ms: 300 });
    const late = Promise.withResolvers<string>();
    bed.behaviour['a'] = async ({ emit, signal }) => {
      await emit?.({ text: 'half' });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await emit?.({ text: 'late' }).catch((error: Error) => late.resolve(error.message));
      cut();
    };
    const { heard, code } = await bed.stream();
    expect([heard.length, code, bed.calls]).to.deep.equal([2, 'run_timed_out', ['a']]);
    expect(await late.promise).to.match(/ended/);
  });

  it('waits for a caller that reads slowly, and no longer than to the deadline', async () => {
    await bed.start({ timeout_ms: 300 });
    let emitted = 0;
    bed.behaviour['a'] = async ({ emit }) => {
      for (;;) {
        await emit?.({ text: 'more' });
        emitted += 1;
      }
    };
    const { code } = await bed.stream({ stream: { emit: () => new Promise<void>(() => undefined) } });
    expect([code, emitted]).to.deep.equal(['run_timed_out', 0]);
  });

  it('is repeated by its key as the stored result, without a part', async () => {
    await bed.start();
    bed.behaviour['a'] = async ({ emit }) => emit?.({ text: 'one' });
    const first = await bed.stream({}, 'once');
    const again = await bed.stream({}, 'once');
    expect([again.heard, again.replayed, again.result]).to.deep.equal([[], true, first.result]);
    const unstreamed = await bed.stream({ stream: undefined }, 'once');
    expect([unstreamed.replayed, bed.calls]).to.deep.equal([true, ['a']]);
  });

  describe('whose caller goes', () => {
    // Emits a part, tells that it did, and then waits for the abort or the word to go on.
    const begun = () => {
      const first = Promise.withResolvers<void>();
      const go = Promise.withResolvers<void>();
      bed.behaviour['a'] = async ({ emit, signal }) => {
        await emit?.({ type: 'usage', tokens: 1 });
        first.resolve();
        await Promise.race([go.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
        if (signal.aborted) cut();
        await emit?.({ text: 'two' });
      };
      return { first: first.promise, go: go.resolve };
    };

    it('ends as cancelled, the fault of the caller, and its provider is stopped', async () => {
      await bed.start();
      const { first } = begun();
      const gone = new AbortController();
      const streaming = bed.stream({ gone: gone.signal });
      await first;
      gone.abort();
      const { code, run_id } = await streaming;
      expect([code, bed.calls]).to.deep.equal(['caller_gone', ['a']]);
      const { status, reason, counts } = await bed.run(run_id ?? '');
      expect([status, reason, counts]).to.deep.equal(['cancelled', 'caller_gone', 'caller_fault']);
      const { body } = await bed.platform.call('GET', '/providers');
      expect(JSON.stringify(body)).not.to.include('call_failure');
    });

    it('is stopped also when it does not stream, and before it was sent at all', async () => {
      await bed.start();
      bed.behaviour['a'] = ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
      const gone = new AbortController();
      const running = bed.stream({ stream: undefined, gone: gone.signal });
      await until(
        () => bed.calls.length,
        (calls) => calls === 1,
      );
      gone.abort();
      expect((await running).code).to.equal('caller_gone');
      expect((await bed.stream({ gone: gone.signal })).code).to.equal('caller_gone');
      expect(bed.calls).to.deep.equal(['a']);
    });

    it('is stopped when the caller takes a part no more', async () => {
      await bed.start();
      begun();
      const { code } = await bed.stream({ stream: { emit: () => Promise.reject(new Error('the client hung up')) } });
      expect(code).to.equal('caller_gone');
    });

    it('goes on to its end at a provider that drains; the rest is dropped, and only the usage is kept', async () => {
      await bed.start({ metered: true }, ['a']);
      const { first, go } = begun();
      const gone = new AbortController();
      const streaming = bed.stream({ gone: gone.signal });
      await first;
      gone.abort();
      go();
      const { heard, code, run_id } = await streaming;
      expect([heard, code]).to.deep.equal([[{ provider: 'a' }, { type: 'usage', tokens: 1 }], 'caller_gone']);
      const { status, facts } = await bed.run(run_id ?? '');
      expect([status, facts.outputs, facts.schema.outputs]).to.deep.equal(['cancelled', undefined, 'unchecked']);
      const [, end] = bed.settled[0] ?? [];
      expect([end?.billed, end?.outputs?.['by']]).to.deep.equal(['yes', 'a']);
    });

    it('is finished all the same when it has an effect', async () => {
      await bed.start({ effect: 'irreversible', action_class: 'write' });
      const { first, go } = begun();
      const gone = new AbortController();
      const streaming = bed.stream({ gone: gone.signal });
      await first;
      gone.abort();
      go();
      expect((await streaming).result?.status).to.equal('completed');
    });
  });
});
