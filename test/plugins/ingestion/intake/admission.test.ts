import { expect } from 'chai';
import type { RequestInfo } from '../../../../kernel/index.ts';
import { createAdmission } from '../../../../plugins/ingestion/intake/admission.ts';

const limits = { most_queued: 10, most_bytes: 1000, read_ms: 5 };

function call(length: number, body: Promise<Uint8Array>): RequestInfo {
  const asked: Partial<RequestInfo> = { headers: { 'content-length': String(length) }, readBody: () => body };
  return asked as RequestInfo;
}

describe('the bytes that are being read at once', () => {
  const small = call(10, Promise.resolve(new Uint8Array(10)));
  const codeOf = (reading: Promise<unknown>): Promise<unknown> =>
    reading.then(
      () => 'read',
      (error: unknown) => (error as { code?: unknown }).code,
    );

  it('are bounded, and free again once they are read', async () => {
    const admission = createAdmission(limits, { depth: () => 0, depthOf: () => 0 });
    const whole = call(1000, Promise.resolve(new Uint8Array(1000)));
    const [first, second] = await Promise.all([
      codeOf(admission.read(whole, 1000)),
      codeOf(admission.read(small, 1000)),
    ]);
    expect([first, second]).to.deep.equal(['read', 'overloaded']);
    expect(await codeOf(admission.read(small, 1000))).to.equal('read');
  });

  it('count as long as they come in, also after the sender was told that it was too slow', async () => {
    const admission = createAdmission(limits, { depth: () => 0, depthOf: () => 0 });
    const slow = Promise.withResolvers<Uint8Array>();
    expect(await codeOf(admission.read(call(1000, slow.promise), 1000))).to.equal('overloaded');
    expect(await codeOf(admission.read(small, 1000))).to.equal('overloaded');
    slow.reject(new Error('the sender has gone'));
    await slow.promise.catch(() => undefined);
    expect(await codeOf(admission.read(small, 1000))).to.equal('read');
  });
});

describe('the deliveries that wait', () => {
  it('shut the door for all when they are too many, and before that for a source that has half of the queue', () => {
    const depths = new Map([
      ['loud', 4],
      ['quiet', 1],
    ]);
    const depth = (): number => [...depths.values()].reduce((sum, one) => sum + one, 0);
    const admission = createAdmission(limits, { depth, depthOf: (id) => depths.get(id) ?? 0 });
    const letsIn = (id: string): boolean => {
      try {
        admission.admit(id);
        return true;
      } catch (error) {
        expect((error as { code?: unknown }).code).to.equal('overloaded');
        return false;
      }
    };
    expect(['loud', 'quiet'].map(letsIn)).to.deep.equal([true, true]);
    depths.set('loud', 5);
    expect(['loud', 'quiet'].map(letsIn)).to.deep.equal([false, true]);
    depths.set('quiet', 5);
    expect(['loud', 'quiet', 'new'].map(letsIn)).to.deep.equal([false, false, false]);
  });
});
