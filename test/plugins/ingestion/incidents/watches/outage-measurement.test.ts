import { expect } from 'chai';
import { silentLog } from '../../../../../kernel/tools/log.ts';
import type { IncidentScope } from '../../../../../plugins/ingestion/incidents/store/scope.ts';
import { measureOutages } from '../../../../../plugins/ingestion/incidents/watches/outage-measurement.ts';
import { until } from '../../../../helpers/until.ts';

const [one, two] = ['one.tenant@1.0.0', 'two.tenants@1.0.0'];

/** Lets runs of both Orbs fail for a minute, the second one's in two tenants; answers the outages that were recorded. */
async function outagesAmong(tenants: readonly string[]): Promise<readonly string[]> {
  const told: string[] = [];
  let now = 0;
  let ran: (run: object) => void = () => undefined;
  const outages = { open: async () => [], record: async ({ subject }: { subject: string }) => told.push(subject) };
  const scope = {
    clock: { now: () => now, monotonic: () => now },
    log: silentLog,
    runtime: {
      catalog: { orbisets: new Map(tenants.map((tenant) => [`of-${tenant}`, { tenant }])) },
      orbs: () => [one, two, 'good.orb@1.0.0'].map((orb_id) => ({ orb_id, usable: true })),
    },
    platform: { components: () => ({}) },
    hooks: { of: () => ({ tap: (_: string, tap: typeof ran) => (ran = tap) }) },
  } as unknown as IncidentScope;
  const measured = measureOutages(scope, outages);
  await measured.start();
  for (; now <= 60_000; now += 10_000) {
    ran({ orb_id: one, tenant: 'acme', usable: false });
    ran({ orb_id: two, tenant: now < 50_000 ? 'acme' : 'other', usable: false });
  }
  await until(
    async () => told,
    ([newest]) => newest === two || told.length > 1,
    'an outage',
    100,
  );
  measured.stop();
  return told;
}

describe('outages that runs show', () => {
  it('are those of any tenant where there is only one', async () => {
    expect(await outagesAmong(['acme', 'acme'])).to.deep.equal([one, two]);
  });

  it('are those that two tenants met where there are several', async () => {
    expect(await outagesAmong(['acme', 'other'])).to.deep.equal([two]);
  });
});
