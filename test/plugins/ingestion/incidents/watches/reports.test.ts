import { expect } from 'chai';
import { createReports } from '../../../../../plugins/ingestion/incidents/watches/reports.ts';

function watched(fails: () => boolean = () => false) {
  const recorded: string[] = [];
  const failed: string[] = [];
  const reports = createReports<string>(
    async (seen) => {
      await Promise.resolve();
      if (fails()) throw new Error('away');
      recorded.push(seen);
    },
    (_, name) => failed.push(name),
  );
  return { reports, recorded, failed };
}

describe('what a watch saw', () => {
  it('is recorded from the start on, the newest of each name', async () => {
    const { reports, recorded } = watched();
    reports.note('a', 'a1');
    reports.note('b', 'b1');
    reports.note('a', 'a2');
    await reports.settled();
    expect(recorded).to.deep.equal([]);
    reports.start();
    await reports.settled();
    expect(recorded).to.deep.equal(['a2', 'b1']);
    await reports.stop();
  });

  it('is recorded once when it changes again before its turn', async () => {
    const { reports, recorded } = watched();
    reports.start();
    for (const seen of ['1', '2', '3']) reports.note('a', seen);
    await reports.settled();
    expect(recorded).to.deep.equal(['3']);
    await reports.stop();
  });

  it('is tried again with the next one when it could not be recorded', async () => {
    let fails = true;
    const { reports, recorded, failed } = watched(() => fails);
    reports.start();
    reports.note('a', 'a1');
    await reports.settled();
    expect([recorded, failed]).to.deep.equal([[], ['a']]);
    fails = false;
    reports.note('b', 'b1');
    await reports.settled();
    expect(recorded).to.deep.equal(['a1', 'b1']);
    await reports.stop();
  });

  it('is recorded before the watch has stopped, and not after', async () => {
    const { reports, recorded } = watched();
    reports.start();
    reports.note('a', 'a1');
    await reports.stop();
    reports.note('b', 'b1');
    await reports.settled();
    expect(recorded).to.deep.equal(['a1']);
  });
});
