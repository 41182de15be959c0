import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { startCluster, type Cluster, type ClusterNode } from '../helpers/cluster.ts';
import { until } from '../helpers/until.ts';
import { needPostgres } from '../helpers/use-postgres.ts';

interface Incident {
  readonly incident_id: string;
  readonly state: string;
  readonly code?: string;
  readonly changes: readonly { readonly change_number: number; readonly receipt_id: string; readonly state: string }[];
  readonly notes: readonly { readonly text: string }[];
}

describe('incidents at three servers', function () {
  this.timeout(300_000);
  let cluster: Cluster;
  let nodes: readonly [ClusterNode, ClusterNode, ClusterNode];
  before(async function () {
    needPostgres(this);
    cluster = await startCluster(['a', 'b', 'c']);
    nodes = cluster.nodes as typeof nodes;
  });
  after(() => cluster?.remove());

  const act = (node: ClusterNode, path: string, body: object) => cluster.call<Incident>(node, 'POST', path, { body });
  const show = async (node: ClusterNode, id: string): Promise<Incident> => {
    const { body, status } = await cluster.call<Incident>(node, 'GET', `/incidents/${id}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const open = async (node: ClusterNode) => {
    const { body } = await cluster.call<{ incidents: Incident[] }>(node, 'GET', '/incidents?state=unresolved');
    return body.incidents;
  };
  const onStatus = async (node: ClusterNode): Promise<readonly string[]> => {
    const { body } = await cluster.call<{ incidents: { id: string; updates: object[] }[] }>(node, 'GET', '/status');
    return body.incidents.map(({ id, updates }) => `${id} ${updates.length}`);
  };
  /** Checks that all nodes show the same timeline, each change of it attested once; answers it. */
  const timeline = async (id: string): Promise<Incident> => {
    const [shown, ...others] = await Promise.all(nodes.map((node) => show(node, id)));
    if (shown === undefined) return expect.fail('no node');
    for (const other of others) expect(other).to.deep.equal(shown);
    expect(shown.changes.map(({ change_number }) => change_number)).to.deep.equal(shown.changes.map((_, at) => at + 1));
    for (const { receipt_id } of shown.changes)
      for (const node of nodes) {
        const { body } = await cluster.call<{ signature_valid: boolean }>(node, 'GET', `/receipts/${receipt_id}`);
        expect(body.signature_valid, `${receipt_id} at ${node.name}`).to.equal(true);
      }
    const client = await cluster.postgres.client(cluster.database);
    const { rows } = await client.query(`SELECT payload FROM receipts_receipts WHERE kind = 'incident'`);
    const attested = (rows as { payload: Buffer }[]).filter(({ payload }) => payload.includes(id));
    expect(attested.length, 'receipts').to.equal(shown.changes.length);
    return shown;
  };

  it('are opened by a webhook at one, noted at another and resolved at the third: one timeline everywhere', async () => {
    const [a, b, c] = nodes;
    const binding = { kind: 'component', id: 'ingestion' };
    const wish = { name: 'one', vendor: 'generic', binding, policy: { hold_s: 0 } };
    const made = await cluster.call<{ token: string; secret: string }>(c, 'POST', '/sources', { body: wish });
    const alert = JSON.stringify({ id: 'x', state: 'firing', severity: 'high', time: new Date().toISOString() });
    const signature = createHmac('sha256', made.body.secret).update(alert).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-signature': signature };
    const sent = await fetch(`${b.url}/hooks/${made.body.token}`, { method: 'POST', headers, body: alert });
    expect(sent.status).to.equal(202);
    const [incident] = await until(
      () => open(a),
      ({ length }) => length === 1,
      'the incident',
    );
    const id = incident?.incident_id ?? '';
    for (const node of nodes)
      await until(
        () => onStatus(node),
        (found) => found.includes(`${id} 0`),
        'the incident on /status',
      );
    const noted = await act(a, `/incidents/${id}/notes`, { text: 'We look.', public: true, phase: 'identified' });
    expect(noted.status, JSON.stringify(noted.body)).to.equal(201);
    for (const node of nodes)
      await until(
        () => onStatus(node),
        (found) => found.includes(`${id} 1`),
        'the note on /status',
      );
    const resolved = await act(c, `/incidents/${id}/resolve`, { reason: 'mended' });
    expect([resolved.status, resolved.body.state], JSON.stringify(resolved.body)).to.deep.equal([200, 'resolved']);
    const shown = await timeline(id);
    expect(shown.changes.map(({ state }) => state)).to.deep.equal(['open', 'resolved']);
    expect(shown.notes.map(({ text }) => text)).to.deep.equal(['We look.']);
    for (const node of nodes)
      await until(
        () => onStatus(node),
        ({ length }) => length === 0,
        'an empty /status',
      );
  });

  it('are opened, acknowledged and resolved at any node: of three at once one resolves, the others are told', async () => {
    const scope = [{ kind: 'component', id: 'runtime' }];
    for (const [at, node] of nodes.entries()) {
      const wish = { title: `of ${node.name}`, severity: 'warning', scope };
      const made = await act(node, '/incidents', wish);
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
      const id = made.body.incident_id;
      const next = nodes[(at + 1) % 3] as ClusterNode;
      expect((await act(next, `/incidents/${id}/acknowledge`, {})).body.state).to.equal('acknowledged');
      const answers = await Promise.all(nodes.map((one) => act(one, `/incidents/${id}/resolve`, { reason: one.name })));
      expect(answers.map(({ status }) => status).sort(), JSON.stringify(answers)).to.deep.equal([200, 409, 409]);
      const refused = answers.filter(({ status }) => status === 409).map(({ body }) => body.code);
      expect(refused).to.deep.equal(['incident_conflict', 'incident_conflict']);
      await timeline(id);
    }
    expect((await act(nodes[1], '/incidents/inc_none/resolve', { reason: 'x y' })).status).to.equal(404);
  });

  it('wait for maintenance that is planned at any node, and is on /status of all when it is answered', async () => {
    const [a, b] = nodes;
    const ends_at = new Date(Date.now() + 3_600_000).toISOString();
    const window = {
      title: 'Move',
      scope: [{ kind: 'component', id: 'reputation_ledger' }],
      starts_at: soon(),
      ends_at,
    };
    const planned = await cluster.call<{ maintenance_id: string }>(b, 'POST', '/maintenance', { body: window });
    expect(planned.status, JSON.stringify(planned.body)).to.equal(201);
    const id = planned.body.maintenance_id;
    for (const node of nodes)
      await until(
        () => onStatus(node),
        (found) => found.includes(`${id} 0`),
        'the window on /status',
      );
    expect((await cluster.call(a, 'DELETE', `/maintenance/${id}`)).status).to.equal(204);
    for (const node of nodes)
      await until(
        () => onStatus(node),
        ({ length }) => length === 0,
        'the end of the window on /status',
      );
  });

  it('are acted upon when the node that folds them was killed: the next one does it, once', async () => {
    const client = await cluster.postgres.client(cluster.database);
    const { rows } = await client.query(`SELECT node FROM kernel_roles WHERE role = 'ingestion'`);
    const held = nodes.find(({ name }) => name === (rows as [{ node: string }])[0].node) ?? expect.fail('no holder');
    const [one, other] = nodes.filter((node) => node !== held) as [ClusterNode, ClusterNode];
    const made = await act(one, '/incidents', {
      title: 'x',
      severity: 'info',
      scope: [{ kind: 'orb', id: 'a.b@1.0.0' }],
    });
    await cluster.kill(held);
    const path = `/incidents/${made.body.incident_id}`;
    const answers = await Promise.all([
      act(one, `${path}/resolve`, { reason: 'over' }),
      act(other, '/incidents', { title: 'y', severity: 'info', scope: [{ kind: 'orb', id: 'a.c@1.0.0' }] }),
    ]);
    expect(
      answers.map(({ status }) => status),
      JSON.stringify(answers),
    ).to.deep.equal([200, 201]);
    await cluster.start(held);
    await timeline(made.body.incident_id);
    await timeline(answers[1]?.body.incident_id ?? '');
    const left = await client.query('SELECT request_id FROM ingestion_requests');
    expect(left.rowCount, 'requests that are left').to.equal(0);
  });
});

const soon = (): string => new Date(Date.now() + 1).toISOString();
