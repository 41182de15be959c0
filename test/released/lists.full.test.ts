import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../helpers/platform.ts';
import { clock, openHome, orb } from './home.ts';

type Row = Readonly<Record<string, unknown>>;

// The lists whose filters find rows by tables that 0.1.0 does not have, by the member of a row that each filter compares.
const lists = [
  {
    ...{ path: '/runs', name: 'runs', id: 'run_id' },
    filters: {
      ...{ provider: 'provider', orbiset_id: 'orbiset_id', orb_id: 'orb_id', principal: 'principal' },
      ...{ status: 'status', reason: 'reason' },
    },
  },
  {
    ...{ path: '/receipts', name: 'receipts', id: 'receipt_id' },
    filters: { orbiset: 'orbiset_id', orb: 'orb_id', status: 'status' },
  },
  {
    ...{ path: '/policies/-/decisions', name: 'decisions', id: 'decision_id' },
    filters: { action: 'action', orb_id: 'orb_id', principal: 'principal', revision: 'revision' },
  },
] as const;

for (const version of ['0.1.0', '0.2.0'])
  for (const way of ['upgraded', 'upgraded again, after the way back'] as const)
    describe(`the rows of a state dir of release ${version} that was ${way}`, function () {
      this.timeout(180_000);
      const { home } = openHome(version);
      let platform: TestPlatform;
      const start = (): Promise<TestPlatform> =>
        startPlatform({ home, clock, env: { ORB_PUBLIC_URL: 'https://orb.example' } });
      before(async () => {
        if (way !== 'upgraded') {
          await (await start()).stop({ keep: true });
          // What the old program wrote, and what it goes on with.
          const restored = await orb(home, 'restore', join(home, 'backup'), '--replace');
          expect(restored.exit, restored.said).to.equal(0);
        }
        platform = await start();
      });
      after(async () => {
        await platform?.stop();
        rmSync(home, { recursive: true, force: true });
      });

      async function all(path: string, name: string, filter: Readonly<Record<string, string>> = {}): Promise<Row[]> {
        const found: Row[] = [];
        for (let cursor: string | undefined; ;) {
          const query = new URLSearchParams({ limit: '100', ...filter, ...(cursor === undefined ? {} : { cursor }) });
          const { body, status } = await platform.call('GET', `${path}?${query.toString()}`);
          expect(status, `${path}?${query.toString()}`).to.equal(200);
          found.push(...(body[name] as Row[]));
          cursor = body.next_cursor as string | undefined;
          if (cursor === undefined) return found;
        }
      }

      for (const { filters, id, name, path } of lists)
        it(`are all found by each filter of ${path}`, async () => {
          const rows = await all(path, name);
          expect(rows).to.not.have.length(0);
          for (const [filter, member] of Object.entries(filters))
            for (const [value, fitting] of Map.groupBy(rows, (row) => row[member])) {
              if (typeof value !== 'string') continue;
              const found = await all(path, name, { [filter]: value });
              const idsOf = (some: readonly Row[]): unknown[] => some.map((row) => row[id]);
              expect(idsOf(found), `${filter}=${value}`).to.deep.equal(idsOf(fitting));
            }
        });

      for (const by of [undefined, 'orb_id', 'orbiset_id', 'provider', 'status', 'principal'])
        it(`are all counted by GET /stats${by === undefined ? '' : `, by ${by}`}`, async () => {
          const runs = await all('/runs', 'runs');
          const { body } = await platform.call(
            'GET',
            `/stats?from=2026-01-01T00:00:00Z&step=hour${by === undefined ? '' : `&by=${by}`}`,
          );
          const totals = (body.series as { readonly overall: { readonly total: number } }[]).map(
            ({ overall }) => overall.total,
          );
          expect(totals.reduce((sum, total) => sum + total, 0)).to.equal(runs.length);
        });
    });
