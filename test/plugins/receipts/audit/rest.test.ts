import { expect } from 'chai';
import { pause, restAfter } from '../../../../plugins/receipts/audit/rest.ts';

describe('the rest of the auditor after a round', () => {
  const rows: readonly [what: string, took: number, cpu: number, rest: number][] = [
    ['one that had its processor: three times its length', 20, 20, 61],
    ['one that had it for half of the time: no more', 20, 9.5, 61],
    ['a long one that had it: a quarter of a second at most', 400, 400, 250],
    ['one that had to wait for it: twenty times its length', 20, 9, 400],
    ['a long one that had to wait: two seconds at most', 400, 50, 2000],
    ['one too short to tell', 0.9, 0, 3.7],
  ];
  for (const [what, took, cpu, rest] of rows) it(what, () => expect(restAfter(took, cpu)).to.be.closeTo(rest, 1e-9));

  it('ends with the program, however long it would last', async () => {
    const closing = new AbortController();
    const hour = pause(3_600_000, closing.signal);
    closing.abort();
    await hour;
    await pause(3_600_000, closing.signal);
  });
});
