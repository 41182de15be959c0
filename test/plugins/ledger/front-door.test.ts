import { expect } from 'chai';
import { ProviderError } from '../../../kernel/adapter.ts';
import { createRecorder, recordOrb } from '../../helpers/recorder.ts';
import { startMarket, type Market } from './market.ts';

const orbId = 'test.record@1.0.0';
const path = `/reputation/${orbId}`;

describe('reputation through the front door', function () {
  this.timeout(60_000);
  const recorder = createRecorder();
  let market: Market;
  let caller: string;
  before(async () => {
    market = await startMarket({
      platform: { providers: { 'secret-provider': { adapter: 'record/local', config: { name: 'live' } } } },
      data: { [`orbs/${orbId}.json`]: recordOrb({ latency_objective_ms: 2000 }) },
      adapters: [recorder.adapter],
    });
    caller = await market.platform.key({ name: 'one', scopes: ['orbs:execute'] });
  });
  after(() => market.platform.stop());

  const run = async (key = caller, more: object = {}) => {
    const body = { orb_id: orbId, inputs: { token: 't' }, ...more };
    const answer = await market.platform.call('POST', '/orbisets/default/execute', body, key);
    await market.probe.reputation().settled();
    return answer;
  };
  const shown = async () => (await market.profile(orbId)).body;
  const scoreFact = async (answer: Awaited<ReturnType<typeof run>>) => {
    const receipt = await market.platform.call('GET', `/receipts/${answer.body.receipt.receipt_id}`);
    return receipt.body.statement.predicate.score_fact as Readonly<Record<string, unknown>>;
  };

  it("a caller's rejected requests and its own short deadline do not move the score", async () => {
    const fact = await scoreFact(await run());
    expect(fact).to.include({ outcome_class: 'ok', is_self: false, latency_ok: true });
    const { reputation_score, score_exact, components } = await shown();
    expect(score_exact).to.be.greaterThan(0);
    recorder.behaviour['live'] = {
      execute: () => {
        throw new ProviderError('rejected', 'not so');
      },
    };
    expect((await run()).status).to.equal(422);
    recorder.behaviour['live'] = { execute: () => new Promise(() => undefined) };
    const late = await run(caller, { timeout_ms: 30 });
    expect(late.status).to.equal(504);
    expect(await scoreFact(late)).to.include({ outcome_class: 'caller_fault' });
    delete recorder.behaviour['live'];
    const after = await shown();
    expect(after).to.deep.include({ reputation_score, score_exact, components });
    expect(after.evidence.excluded).to.deep.equal({ caller_fault: 2, caller_deadline: 1 });
  });

  it('a rotated key is the same caller, another principal is another', async () => {
    const [known] = (await market.platform.call('GET', '/keys')).body.keys.filter(
      ({ name }: { name: string }) => name === 'one',
    );
    const first = await scoreFact(await run());
    const rotated = await market.platform.key({
      name: 'one again',
      scopes: ['orbs:execute'],
      principal: known.principal,
    });
    const second = await scoreFact(await run(rotated));
    expect(second['caller_ref']).to.match(/^[0-9a-f]{64}$/);
    expect(second['caller_ref']).to.equal(first['caller_ref']);
    expect((await shown()).evidence.callers).to.equal(1);
    const other = await market.platform.key({ name: 'two', scopes: ['orbs:execute'] });
    expect((await scoreFact(await run(other)))['caller_ref']).to.not.equal(first['caller_ref']);
    expect((await shown()).evidence.callers).to.equal(2);
  });

  it('a fault of the provider counts against it', async () => {
    const before = await shown();
    recorder.behaviour['live'] = {
      execute: () => {
        throw new ProviderError('not_sent', 'away');
      },
    };
    expect((await run()).status).to.equal(503);
    delete recorder.behaviour['live'];
    const after = await shown();
    expect(after.evidence.runs_counted).to.equal(before.evidence.runs_counted + 1);
    expect(after.evidence.reliability_lower_bound).to.be.lessThan(before.evidence.reliability_lower_bound);
  });

  describe('seen by whoever calls', () => {
    const get = (route: string, key?: string | null) => market.platform.call('GET', route, undefined, key);

    it('nothing is shown of an Orb that is not published without a key, nor of one that is none', async () => {
      for (const route of [path, `${path}/history`, `${path}/evidence`, `${path}/manifest`]) {
        const { status, body } = await get(route, null);
        expect([status, body.code], route).to.deep.equal([404, 'orb_not_found']);
        expect((await get(route, caller)).status, route).to.equal(200);
      }
      expect((await get('/reputation/no.such@1.0.0')).status).to.equal(404);
      expect((await get(path, 'orb_live_wrong')).status).to.equal(401);
    });

    it('a published one is shown to everybody, with %40 too, and not kept when a key was sent', async () => {
      await market.endDay();
      const facts = {
        change: 'published' as const,
        manifest_digest: `sha256:${'a'.repeat(64)}`,
        manifest_signed: false,
      };
      const at = '2026-01-02T12:00:00.000Z';
      await market.probe
        .platform()
        .attest({ fact: { kind: 'standing', at, orb_id: orbId, facts }, operations: () => [] });
      await market.probe.reputation().settled();
      const open = await get(path, null);
      expect(open.status).to.equal(200);
      expect(open.headers.get('cache-control')).to.equal('public, max-age=60');
      expect(open.headers.get('vary')?.split(', ')).to.include.members(['Authorization', 'Accept-Encoding']);
      expect((await get('/reputation/test.record%401.0.0', null)).body.orb_id).to.equal(orbId);
      expect((await get(path, caller)).headers.get('cache-control')).to.equal('private, no-store');
    });

    it('no public answer holds a caller, a principal, a provider, or a time within a day', async () => {
      const { body } = await get(`${path}/evidence?by=caller`);
      const refs = body.callers.map(({ caller_ref }: { caller_ref: string }) => caller_ref) as string[];
      expect(refs).to.have.length.greaterThan(1);
      const routes = market.platform.kernel.routes.filter(
        ({ method, path: route, public: isOpen }) =>
          method === 'GET' && isOpen === true && /^\/(reputation|scoring|marketplace)/.test(route),
      );
      expect(routes.map(({ path: route }) => route)).to.include.members([
        '/reputation/{orb_id}',
        '/scoring/orb-score/1',
      ]);
      for (const { path: route } of routes) {
        const response = await fetch(market.platform.url + route.replace('{orb_id}', encodeURIComponent(orbId)));
        const text = await response.text();
        const what = `${route}: ${text.slice(0, 2000)}`;
        for (const ref of refs) expect(text.includes(ref), what).to.equal(false);
        expect(/prn_[0-9A-Z]{26}|secret-provider|"caller_ref"/.test(text), what).to.equal(false);
        expect(/\d{4}-\d\d-\d\dT(?!00:00:00)/.test(text), what).to.equal(false);
      }
    });

    it('counts by caller and lines of the export need reputation:export and the namespace, or *', async () => {
      const exporter = await market.platform.key({ name: 'auditor', scopes: ['reputation:export'] });
      const asked = ['by=caller', 'format=ndjson'];
      for (const query of asked) {
        expect((await get(`${path}/evidence?${query}`, null)).status).to.equal(401);
        expect((await get(`${path}/evidence?${query}`, caller)).status).to.equal(403);
        expect((await get(`${path}/evidence?${query}`, exporter)).status).to.equal(403);
        expect((await get(`${path}/evidence?${query}`)).status).to.equal(200);
      }
      const grant = { namespace: 'test', owner: { tenant: 'default' } };
      expect((await market.platform.call('POST', '/namespaces', grant)).status).to.equal(201);
      for (const query of asked) expect((await get(`${path}/evidence?${query}`, exporter)).status).to.equal(200);
      expect((await get('/ledger/export', exporter)).status).to.equal(403);
      const lines = (await get(`${path}/evidence?format=ndjson`, exporter)).body as string;
      const kinds = lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { kind: string; orb_id: string });
      expect(new Set(kinds.map(({ orb_id }) => orb_id))).to.deep.equal(new Set([orbId]));
      expect(kinds.map(({ kind }) => kind)).to.include.members(['run', 'standing']);
    });

    it('the scoring document is the bytes whose digest every snapshot names', async () => {
      const plain = { headers: { 'Accept-Encoding': 'identity' } };
      const response = await fetch(`${market.platform.url}/scoring/orb-score/1`, plain);
      const hash = await crypto.subtle.digest('SHA-256', await response.arrayBuffer());
      const digest = `sha256:${Buffer.from(hash).toString('hex')}`;
      expect(market.probe.reputation().snapshot()?.scoring_policy).to.deep.equal({ id: 'orb-score/1', digest });
      expect(response.headers.get('etag')).to.equal(`"${digest}"`);
    });

    it('the manifest is the bytes of its digest; with its signature when asked', async () => {
      const canonicalText = (await fetch(`${market.platform.url}${path}/manifest`)).text();
      const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(await canonicalText));
      const { body } = await get(`${path}/manifest?format=signed`, null);
      expect(body.digest).to.equal(`sha256:${Buffer.from(hash).toString('hex')}`);
      expect(body).to.include({ orb_id: orbId, signed: false });
    });

    it('a day that no calendar has, and a span that is too long, are refused', async () => {
      for (const query of ['from=2026-02-30', 'to=2026-13-01', 'from=2020-01-01&to=2026-01-01', 'from=yesterday'])
        expect((await get(`${path}/history?${query}`)).status, query).to.equal(400);
    });

    it('the snapshot is attested, and its receipt verifies', async () => {
      const entries = await market.probe.log().entriesAfter(new Map(), 1000);
      const entry = entries.find(({ statement }) => statement.includes('"change":"snapshot"'));
      expect(entry?.kind).to.equal('standing');
      expect(await market.probe.log().verifies(entry?.receipt_id ?? '')).to.equal(true);
      const { body } = await market.platform.call('GET', `/receipts/${entry?.receipt_id}`);
      const { digest, logs, day } = market.probe.reputation().snapshot() ?? {};
      expect(body.statement.predicate.facts).to.deep.include({ change: 'snapshot', day, digest, logs });
    });
  });
});
