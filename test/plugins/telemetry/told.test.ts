import { expect } from 'chai';
import { Told } from '../../../plugins/telemetry/otlp/told.ts';

describe('what is told of exports', () => {
  const fails = (told: Told): Promise<unknown> =>
    told.about('it', Promise.reject(new Error('x'))).catch(() => undefined);

  it('rests longer with each export that fails, and not once one works', async () => {
    const lines: string[] = [];
    const note = (_: unknown, text: string): unknown => lines.push(text);
    const told = new Told('traces', { info: note, warn: note });
    const rests: number[] = [];
    for (let failed = 0; failed < 6; failed += 1) {
      rests.push(told.rest);
      await fails(told);
    }
    expect(rests).to.deep.equal([0, 0, 5000, 10_000, 15_000, 15_000]);
    expect(lines).to.have.lengthOf(1);
    await told.about('it', Promise.resolve());
    expect(told.rest).to.equal(0);
    expect(lines).to.deep.equal([lines[0], 'the collector takes traces again']);
  });

  it('rests no longer when what waits must leave', async function () {
    this.timeout(2000);
    const told = new Told('traces', { info: () => undefined, warn: () => undefined });
    for (let failed = 0; failed < 4; failed += 1) await fails(told);
    const rested = told.rested();
    told.wake();
    await rested;
    await told.rested();
  });
});
