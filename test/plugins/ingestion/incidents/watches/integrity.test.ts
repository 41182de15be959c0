import { expect } from 'chai';
import type { Answer } from '../../../../helpers/platform.ts';
import { until } from '../../../../helpers/until.ts';
import { startIngestion, type IngestionHome } from '../../home.ts';
import { noon, openBench } from '../bench.ts';
import { inStore } from '../../../../helpers/stored.ts';

const receipt_id = 'rec_01JD5ZK0000000000000000000';
const failing = (seconds: number, state: 'failing' | 'cleared') => ({
  receipt_id,
  orb_id: 'notify.email@1.0.0',
  state,
  verdicts: ['signature'],
  at: new Date(noon + seconds * 1000).toISOString(),
});

describe('integrity incidents', function () {
  this.timeout(240_000);

  describe('over HTTP', () => {
    let home: IngestionHome;
    beforeEach(async () => {
      home = await startIngestion();
    });
    afterEach(() => home.stop());

    const integrity = async (): Promise<readonly Answer['body'][]> =>
      (await home.get('/incidents?kind=integrity')).incidents;
    const integrityUntil = async (fits: (found: readonly Answer['body'][]) => boolean): Promise<Answer['body']> =>
      (await until(integrity, fits))[0];

    // Whoever holds the file can change a row; the signature tells.
    const set = (receiptId: string, signature: Uint8Array) =>
      inStore(
        home.platform.home,
        'UPDATE receipts_receipts SET signature = ? WHERE receipt_id = ?',
        signature,
        receiptId,
      );

    it('nobody but the auditor closes one, and the auditor does once the receipt verifies again', async () => {
      const { call } = home.platform;
      const run = await call('POST', '/orbisets/default/execute', {
        orb_id: 'demo.echo@1.0.0',
        inputs: { text: 'hi' },
      });
      const receiptId = String(run.body.receipt.receipt_id);
      const whole = (await home.get(`/receipts/${receiptId}`)).envelope.signatures[0].sig as string;
      await set(receiptId, new Uint8Array(64));
      expect((await home.get(`/receipts/${receiptId}`)).signature_valid).to.equal(false);
      const incident = await integrityUntil(([first]) => first?.state === 'open');
      expect(incident).to.deep.include({
        kind: 'integrity',
        severity: 'critical',
        scope: [{ kind: 'orb', id: 'demo.echo@1.0.0' }],
        reason: 'integrity',
        failing_receipt_id: receiptId,
      });
      const path = `/incidents/${incident.incident_id}`;
      for (const verb of ['resolve', 'retract']) {
        const refused = await call('POST', `${path}/${verb}`, { reason: 'it is fine, believe me' });
        expect([refused.status, refused.body.code]).to.deep.equal([409, 'integrity_incident']);
      }
      expect((await call('POST', `${path}/acknowledge`, {})).body.state).to.equal('acknowledged');
      expect((await call('DELETE', path)).status).to.equal(405);
      await set(receiptId, Buffer.from(whole, 'base64'));
      expect((await home.get(`/receipts/${receiptId}`)).signature_valid).to.equal(true);
      const closed = await integrityUntil(([first]) => first?.state === 'resolved');
      expect(closed).to.deep.include({ incident_id: incident.incident_id, reason: 'integrity', retracted: false });
      expect(closed).to.not.have.property('principal');
    });
  });

  it('opens for what failed while nobody listened, once', async () => {
    let bench = await openBench(undefined, noon, [failing(0, 'failing')]);
    bench.finding(failing(0, 'failing'));
    await bench.tick(noon + 1000);
    expect(bench.facts.map(({ fact }) => fact.facts)).to.deep.equal([
      {
        change: 'opened',
        change_number: 1,
        state: 'open',
        severity: 'critical',
        scope: [{ kind: 'orb', id: 'notify.email@1.0.0' }],
        starts_at: '2026-11-20T12:00:00.000Z',
        deliveries: [],
        reason: 'integrity',
        receipt_id,
      },
    ]);
    bench = await bench.restart();
    expect(bench.facts).to.deep.equal([]);
    expect(bench.live()[0]?.facts.state).to.equal('open');
    bench.now(noon + 60_000);
    bench.finding(failing(60, 'cleared'));
    await bench.side.stop();
    expect(bench.live()[0]?.facts).to.deep.include({ state: 'resolved', reason: 'integrity' });
    await bench.close();
  });

  it('opens once for entries that the log has lost, and a person resolves it', async () => {
    const lost = { origin: 'example/receipts/0', from: 7, until: 12, receipt_id };
    let bench = await openBench(undefined, noon, [], [lost]);
    await bench.side.stop();
    expect(bench.live()).to.have.length(1);
    const [{ incident_id, kind, facts, shown } = {} as never] = bench.live();
    expect({ kind, ...facts }).to.include({ kind: 'integrity', state: 'open', severity: 'critical' });
    expect(shown.title).to.equal(
      `5 entries of example/receipts/0 are lost, from 7 to 11: ${receipt_id} shows that they were signed`,
    );
    bench = await bench.restart();
    const resolve = bench.side.routes.find(({ path }) => path === '/incidents/{incident_id}/resolve');
    await resolve?.handle({
      params: { incident_id },
      body: { reason: 'the callers were told' },
      principal: { id: 'prn_01JD5ZK0000000000000000000' },
    } as never);
    bench = await bench.restart();
    await bench.side.stop();
    expect(bench.live().map((one) => one.facts.state)).to.deep.equal(['resolved']);
    await bench.close();
  });

  it('is not kept from opening by a maintenance window', async () => {
    const bench = await openBench();
    const plan = bench.side.routes.find(({ method, path }) => method === 'POST' && path === '/maintenance');
    await plan?.handle({
      body: {
        title: 'quiet',
        scope: [{ kind: 'orb', id: 'notify.email@1.0.0' }],
        starts_at: '2026-11-20T12:00:00Z',
        ends_at: '2026-11-21T12:00:00Z',
      },
      principal: { id: 'prn_01JD5ZK0000000000000000000' },
    } as never);
    bench.finding(failing(60, 'failing'));
    await bench.side.stop();
    expect(bench.live().map(({ kind }) => kind)).to.deep.equal(['integrity']);
    await bench.close();
  });
});
