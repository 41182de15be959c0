import { expect } from 'chai';
import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServed, type Served } from '../../../helpers/served.ts';
import { until } from '../../../helpers/until.ts';

interface Evidence {
  readonly incident: { readonly incident_id: string; readonly retracted: boolean };
  readonly receipts: readonly {
    readonly receipt_id: string;
    readonly change: string;
    readonly origin: string;
    readonly index: number;
    readonly url: string;
  }[];
  readonly deliveries: readonly {
    readonly digest: string;
    readonly auth_strength: string;
    readonly scheme: string;
    readonly secret_version: number;
    readonly raw_kept: boolean;
    readonly receipt_ids: readonly string[];
    readonly url: string;
  }[];
  readonly debts: readonly { readonly orb_id: string; readonly debt_milli: number }[];
}

interface Reputation {
  readonly components: unknown;
  readonly incidents: {
    readonly open: readonly { readonly evidence: string; readonly debt_milli: number }[];
    readonly debt_milli: number;
    readonly retracted: number;
  };
}

const orb = 'demo.echo@1.0.0';

describe('the chain of evidence', function () {
  this.timeout(240_000);
  let served: Served;
  let url: string;
  let key: string;

  const request = async (path: string, method = 'GET', body?: object): Promise<Response> =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const get = async <T>(path: string): Promise<T> => (await (await request(path)).json()) as T;
  const post = async <T>(path: string, body: object): Promise<T> =>
    (await (await request(path, 'POST', body)).json()) as T;
  const reputation = (): Promise<Reputation> => get<Reputation>(`/reputation/${encodeURIComponent(orb)}`);
  const fired = async (path: string, secret: string, body: object): Promise<number> => {
    const text = JSON.stringify(body);
    const signature = createHmac('sha256', secret).update(text).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-signature': signature };
    return (await fetch(url + path, { method: 'POST', headers, body: text })).status;
  };

  before(async () => {
    served = createServed();
    ({ url, key } = await served.start());
  });
  after(() => served.remove());

  it('leads from a change of reputation to the exact delivery and its verification, and back by a retraction', async () => {
    await post('/orbisets/default/execute', { orb_id: orb, inputs: { text: 'hello' } });
    const before = await reputation();
    expect(before.incidents.debt_milli).to.equal(0);
    const made = await post<{ token: string; secret: string; source: { source_id: string } }>('/sources', {
      name: 'probe',
      vendor: 'generic',
      binding: { kind: 'orb', id: orb },
      policy: { hold_s: 0 },
    });
    const hook = `/hooks/${made.token}`;
    const alert = { id: 'e1', severity: 'critical', title: 'echo is silent', time: new Date(Date.now() - 60_000) };
    const firing = { ...alert, state: 'firing' };
    expect(await fired(hook, made.secret, firing)).to.equal(202);
    const after = await until(reputation, ({ incidents }) => incidents.debt_milli > 0);
    const [burden] = after.incidents.open;

    const evidence = await get<Evidence>(burden?.evidence ?? '');
    expect(evidence.debts).to.have.length(1);
    expect(evidence.debts[0]).to.include({ orb_id: orb, debt_milli: burden?.debt_milli });
    expect(evidence.receipts.map(({ change }) => change)).to.deep.equal(['opened']);
    for (const { receipt_id, origin, index, url: path } of evidence.receipts) {
      const text = await (await request(path)).text();
      const receipt = JSON.parse(text) as { readonly proof: { readonly origin: string; readonly index: number } };
      expect({ origin, index }).to.deep.equal({ origin: receipt.proof.origin, index: receipt.proof.index });
      const file = join(served.home, `${receipt_id}.json`);
      writeFileSync(file, text);
      const verified = served.orb('receipts', 'verify', file);
      expect([verified.status, verified.stdout.trim().split('\n').at(-1)], verified.stderr).to.deep.equal([
        0,
        'VERIFIED',
      ]);
    }
    expect(evidence.deliveries).to.have.length(1);
    for (const delivery of evidence.deliveries) {
      expect(delivery).to.include({ auth_strength: 'strong', scheme: 'hmac', secret_version: 1, raw_kept: true });
      expect(delivery.receipt_ids).to.deep.equal([evidence.receipts[0]?.receipt_id]);
      const raw = Buffer.from(await (await request(`${delivery.url}/raw`)).arrayBuffer());
      expect(`sha256:${createHash('sha256').update(raw).digest('hex')}`).to.equal(delivery.digest);
      expect(raw.toString()).to.equal(JSON.stringify(firing));
    }

    // A duplicate, a forgery and what comes out of order move nothing.
    expect(await fired(hook, made.secret, firing)).to.equal(200);
    expect(await fired(hook, 'another', { ...firing, id: 'e2' })).to.equal(401);
    expect(await fired(hook, made.secret, { ...firing, id: 'e0', state: 'resolved' })).to.equal(202);
    const earlier = { ...firing, state: 'resolved', time: new Date(Date.now() - 600_000) };
    expect(await fired(hook, made.secret, earlier)).to.equal(202);
    const shown = served.orb('incidents', 'evidence', evidence.incident.incident_id);
    expect(shown.stdout, shown.stderr).to.include(evidence.deliveries[0]?.digest);
    expect((await reputation()).incidents.debt_milli).to.equal(after.incidents.debt_milli);

    const { incident_id } = evidence.incident;
    const retracted = served.orb('incidents', 'retract', incident_id, 'the probe was broken', '--yes');
    expect(retracted.status, retracted.stderr).to.equal(0);
    const reverted = await until(reputation, ({ incidents }) => incidents.retracted === 1);
    expect(reverted.components).to.deep.equal(before.components);
    expect(reverted.incidents).to.deep.include({ open: [], debt_milli: 0 });
    expect((await get<Evidence>(`/incidents/${incident_id}/evidence`)).incident.retracted).to.equal(true);
  });

  it('a server that is killed while alerts come in attests each incident once', async () => {
    const made = await post<{ token: string; secret: string }>('/sources', {
      name: 'probe',
      vendor: 'generic',
      may_name: { orbs: [orb], providers: Array.from({ length: 20 }, (_, index) => `p${index}`), components: [] },
    });
    const accepted: number[] = [];
    const send = async (index: number): Promise<void> => {
      const body = { id: `e${index}`, state: 'firing', severity: 'high', labels: { provider: `p${index}` } };
      const status = await fired(`/hooks/${made.token}`, made.secret, body).catch(() => 0);
      if (status === 202) accepted.push(index);
    };
    const sending = Array.from({ length: 20 }, (_, index) => send(index));
    await Promise.race(sending);
    await served.kill();
    await Promise.all(sending);
    expect(accepted.length).to.be.greaterThan(0);
    ({ url, key } = await served.start());
    const opened = (): Promise<{ incidents: readonly { readonly scope: readonly { readonly id: string }[] }[] }> =>
      get('/incidents?state=unresolved&limit=100');
    const named = async (): Promise<readonly string[]> =>
      (await opened()).incidents.map(({ scope }) => scope[0]?.id ?? '');
    const names = await until(named, (found) => accepted.every((index) => found.includes(`p${index}`)));
    expect(new Set(names).size).to.equal(names.length);
    const { incidents } = (await opened()) as unknown as { incidents: readonly { readonly change_number: number }[] };
    expect(incidents.every(({ change_number }) => change_number === 1)).to.equal(true);
  });
});
