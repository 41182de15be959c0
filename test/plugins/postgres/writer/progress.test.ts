import { expect } from 'chai';
import { PlatformError, unpack, type Answer, type Batch } from '../../../../kernel/engine.ts';
import { answered, keep, progressOf, refuse, writesOf } from '../../../../plugins/postgres/writer/progress.ts';

const codeOf = ([number, failure]: Answer['failures'][number]): readonly [number, unknown] => {
  const error = unpack(failure);
  return [number, error instanceof PlatformError ? error.code : error];
};

describe('the progress of a batch of writes', () => {
  // Three writes: of two operations, of one, of one.
  const batch = { sizes: [2, 1, 1], codes: [0, 0, 0, 0] } as unknown as Batch;

  it('refuses the writes that are not answered when the database is away, and no other', async () => {
    const progress = progressOf(batch, 1000, () => 0);
    const [first, second, third] = writesOf(batch);
    if (first === undefined || second === undefined || third === undefined) return expect.fail('three writes');
    await keep(progress, { write: first, results: [1, Promise.resolve(2)] });
    await keep(progress, { write: third, error: new PlatformError('invalid_body', 'no') });
    refuse([first, second, third], progress);
    const { results, failures } = answered(progress);
    expect(results).to.deep.equal([1, 2, undefined, undefined]);
    expect(failures.map(codeOf)).to.deep.equal([
      [1, 'storage_unavailable'],
      [2, 'invalid_body'],
    ]);
  });

  it('fails a write when one of its operations fails later', async () => {
    const progress = progressOf(batch, 1000, () => 0);
    const [first] = writesOf(batch);
    if (first === undefined) return expect.fail('a write');
    await keep(progress, { write: first, results: [1, Promise.reject(new PlatformError('not_found', 'no'))] });
    refuse([first], progress);
    expect(answered(progress).failures.map(codeOf)).to.deep.equal([[0, 'not_found']]);
  });
});
