import { mock } from 'node:test';
import { expect } from 'chai';
import { shippedSettings } from './helpers/shipped-settings.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { until } from './helpers/until.ts';
import { inStore } from './helpers/stored.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const begun = Date.UTC(2026, 10, 22, 12);
const orbiset = { id: 'kept', tenant: 'default', orbs: ['*'], retention_days: { inputs: 2, outputs: 5 } };

/** What is kept for a while: as long as a setting says, or for ever the same time. */
interface Kept {
  readonly what: string;
  readonly setting: string;
  readonly days: number;
  /** Counts the rows of the first day. */
  readonly count: string;
}

/** In the order in which their time is over. */
const kept: readonly Kept[] = [
  {
    what: 'the answer of an Idempotency-Key',
    setting: '24 hours',
    days: 1,
    count: 'SELECT count(*) AS n FROM journal_keys WHERE answer IS NOT NULL',
  },
  {
    what: 'inputs of a run, with their salt',
    setting: 'retention_days.inputs of the Orbiset',
    days: 2,
    count: `SELECT count(*) AS n FROM receipts_values WHERE name = 'inputs'`,
  },
  {
    what: 'the raw body of a delivery',
    setting: 'retention_days of the source',
    days: 3,
    count: 'SELECT count(*) AS n FROM ingestion_bodies',
  },
  {
    what: 'outputs of a run, with their salt',
    setting: 'retention_days.outputs of the Orbiset',
    days: 5,
    count: `SELECT count(*) AS n FROM receipts_values WHERE name = 'outputs'`,
  },
  {
    what: 'decisions of policies',
    setting: 'plugins.policy.config.retention_days',
    days: 7,
    count: `SELECT count(*) AS n FROM policy_decisions WHERE at < '2026-11-23'`,
  },
  {
    what: 'times in which a service was not operational',
    setting: 'plugins.observability.config.retention_days',
    days: 110,
    count: `SELECT count(*) AS n FROM observability_spans WHERE service = 'policy' AND from_at = ${begun - hourMs}`,
  },
  {
    what: 'events of incidents that are over',
    setting: '120 days',
    days: 120,
    count: `SELECT count(*) AS n FROM ingestion_incident_events WHERE event_id = 'old'`,
  },
];

describe('what is kept for a while', function () {
  this.timeout(120_000);
  let platform: TestPlatform;
  let passed = 0;
  let receiptId: string;
  // The hour at which a job runs comes when the test says so.
  let at: number;
  const now = (): number => begun + passed + Math.floor(performance.now() - at);

  before(async () => {
    // Not when the file is read: a long run of all tests is more than the hour that is looked at.
    at = performance.now();
    mock.timers.enable({ apis: ['setInterval'] });
    const settings = shippedSettings();
    platform = await startPlatform({
      // The ledger attests no missed days by a clock that was set.
      clock: { now, monotonic: now },
      platform: {
        ...settings,
        plugins: {
          policy: { config: { build_compiler: false, retention_days: 7 } },
          observability: { config: { retention_days: 110 } },
          ingestion: { config: { usage_retention_days: 150 } },
        },
      },
      data: { 'orbisets/kept.json': orbiset },
    });
    const response = await fetch(`${platform.url}/orbisets/kept/execute`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${platform.adminKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: JSON.stringify({ orb_id: 'demo.echo@1.0.0', inputs: { text: 'for a while' } }),
    });
    const ran = (await response.json()) as { receipt: { receipt_id: string } };
    expect(response.status, JSON.stringify(ran)).to.equal(200);
    receiptId = ran.receipt.receipt_id;
    const made = await platform.call('POST', '/sources', { name: 'grafana', vendor: 'grafana', retention_days: 3 });
    const path = `/sources/${made.body.source.source_id}/test`;
    expect((await platform.call('POST', path, {})).status, JSON.stringify(made.body)).to.be.oneOf([200, 202]);
    await until(
      () => platform.call('GET', '/deliveries?state=queued'),
      ({ body }) => body.deliveries.length === 0,
      'the delivery',
    );
    await insertOld();
  });
  after(async () => {
    await platform?.stop();
    mock.timers.reset();
  });

  // What takes an outage, an incident and a live provider to come about by itself.
  async function insertOld(): Promise<void> {
    const insert = (row: string, ...values: readonly (string | number)[]) =>
      inStore(platform.home, `INSERT INTO ${row}`, ...values);
    await insert(`observability_spans VALUES ('policy', ?, ?, 'major_outage')`, begun - hourMs, begun);
    await insert(
      `ingestion_incident_events (event_id, fingerprint, key, occurred_ms, record) VALUES ('old', 'f', 'k', ?, '{}')`,
      begun,
    );
    const day = new Date(begun).toISOString().slice(0, 10);
    await insert(`ingestion_usage SELECT source_id, ?, 'track', 'a', 1, 7 FROM ingestion_sources`, day);
    await insert(`ledger_minutes VALUES ('demo.echo@1.0.0', ?, 'live', 1, 0)`, begun / 60_000);
  }

  async function count({ count: sql }: Pick<Kept, 'count'>): Promise<number> {
    const [found] = await inStore(platform.home, sql);
    return Number(found?.['n']);
  }

  /** Lets the hour of the jobs come, and what they write be committed. */
  async function jobs(): Promise<void> {
    mock.timers.tick(hourMs);
    // Writes are committed in the order in which they are asked for.
    const written = await platform.call('POST', '/keys', { name: 'later', scopes: ['orbs:read'] });
    expect(written.status).to.equal(201);
  }

  /** The ledger looks at a day when it is over. */
  async function snapshotTaken(): Promise<void> {
    const yesterday = new Date(now() - dayMs).toISOString().slice(0, 10);
    await jobs();
    const taken = { count: `SELECT count(*) AS n FROM ledger_snapshots WHERE day = '${yesterday}'` };
    const look = (): Promise<number> => {
      // So many jobs at once may keep the ledger from its reads: then it looks again a minute later.
      mock.timers.tick(60_000);
      return count(taken);
    };
    await until(look, (n) => n === 1, `the snapshot of ${yesterday}`, 500);
  }

  for (const one of kept)
    it(`${one.what}: ${one.days === 1 ? '24 hours' : one.setting}`, async () => {
      expect(await count(one), 'there is something to be kept').to.be.greaterThan(0);
      passed = one.days * dayMs - hourMs;
      await jobs();
      expect(await count(one), 'an hour before its time is over').to.be.greaterThan(0);
      passed = one.days * dayMs + hourMs;
      await jobs();
      await until(
        () => count(one),
        (left) => left === 0,
        one.what,
      );
    });

  it('counts of events per day: plugins.ingestion.config.usage_retention_days, whole days of UTC', async () => {
    const usage = { count: 'SELECT count(*) AS n FROM ingestion_usage' };
    passed = 150 * dayMs + 11 * hourMs;
    await jobs();
    expect(await count(usage), 'within the day').to.equal(1);
    passed += 2 * hourMs;
    await jobs();
    await until(
      () => count(usage),
      (left) => left === 0,
      'the usage',
    );
  });

  it('the minutes of the ledger: the 180 days that a score looks back', async () => {
    const minutes = { count: 'SELECT count(*) AS n FROM ledger_minutes' };
    passed = 178 * dayMs;
    await snapshotTaken();
    expect(await count(minutes)).to.be.greaterThan(0);
    passed = 183 * dayMs;
    await snapshotTaken();
    expect(await count(minutes)).to.equal(0);
  });

  it('leaves receipts as they were: the log is never cut', async () => {
    const { body } = await platform.call('GET', `/receipts/${receiptId}?disclose=inputs,outputs`);
    expect(body).to.include({ signature_valid: true });
    expect(JSON.stringify(body.disclosed ?? {})).not.to.contain('for a while');
  });
});
