import { expect } from 'chai';
import { healthOf } from '../../../../plugins/ingestion/api/health.ts';

interface Found {
  readonly record?: object;
  /** Seconds since the last delivery. */
  readonly silent?: number;
  readonly newest?: object;
  readonly rejected?: number;
}

/** Asks for the health of a source with these facts. */
async function health({ record = {}, silent, newest, rejected = 0 }: Found): Promise<Record<string, unknown>> {
  const now = Date.UTC(2026, 10, 21);
  const last = silent === undefined ? undefined : new Date(now - silent * 1000).toISOString();
  const reads = { activity: () => ({ last, dead: 1000, queued: 800, conflicts: 2, newest }) };
  const rejections = { of: () => ({ count: rejected, recent: [] }) };
  const clock = { now: () => now, monotonic: () => 0 };
  const source = { record: { source_id: 'src_1', ...record } };
  return (await healthOf(source as never, reads as never, { rejections, clock } as never)) as Record<string, unknown>;
}

const done = { state: 'done' };
const patient = { silent_after_s: 600 };

describe('the health of a source', () => {
  const rows: readonly (readonly [string, Found, string])[] = [
    ['that never sent is unused', {}, 'unused'],
    ['that never sent is unused however long that is', { record: patient }, 'unused'],
    ['that was only refused is failing', { rejected: 1 }, 'failing'],
    ['that sent is ok', { silent: 9, newest: done }, 'ok'],
    ['that sent is ok though others were refused', { silent: 9, newest: done, rejected: 1 }, 'ok'],
    ['whose last delivery is dead is failing', { silent: 9, newest: { state: 'dead' } }, 'failing'],
    ['that is silent as long as it may be is ok', { record: patient, silent: 600.9, newest: done }, 'ok'],
    ['that is silent for longer is stale', { record: patient, silent: 601, newest: done }, 'stale'],
    ['that may be silent is ok', { silent: 99_999, newest: done }, 'ok'],
    ['that fails is failing rather than stale', { record: patient, silent: 601, newest: { state: 'dead' } }, 'failing'],
    [
      'that is paused is paused, whatever else',
      { record: { paused: true }, silent: 9, newest: { state: 'dead' } },
      'paused',
    ],
  ];
  for (const [name, found, status] of rows)
    it(name, async () => {
      expect((await health(found)).status).to.equal(status);
    });

  it('says how long it is silent, and how far its clock is off', async () => {
    const last_delivery_at = new Date(Date.UTC(2026, 10, 21) - 9900).toISOString();
    expect(await health({ silent: 9.9, newest: { ...done, clock_skew_ms: 0 }, rejected: 4 })).to.deep.equal({
      ...{
        status: 'ok',
        last_delivery_at,
        silent_for_s: 9,
        queued: 800,
        conflicts: 2,
        dead: 1000,
        last_clock_skew_ms: 0,
      },
      rejected: { count: 4, recent: [] },
    });
    expect(await health({})).to.have.all.keys('status', 'queued', 'conflicts', 'dead', 'rejected');
  });

  it('is not silent for less than no time', async () => {
    expect((await health({ silent: -9, newest: done })).silent_for_s).to.equal(0);
  });
});
