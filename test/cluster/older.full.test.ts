import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { startCluster, mailOf, type Cluster, type ClusterNode, type ShownRun } from '../helpers/cluster.ts';
import { copyChanged, olderVersion as version, type Change } from '../helpers/newer-program.ts';
import { bundleProgram } from '../runner/program.ts';
import { needPostgres } from '../helpers/use-postgres.ts';

// What a program of before 0.2.0 was without: marks of rows, and whoever reads them.
const changes: readonly Change[] = [
  ['package.json', `"version": "${version}"`, '"version": "0.1.9"'],
  ['plugins/runtime/store.ts', '  runMarks,\n];', '];'],
  ['plugins/receipts/store.ts', '  receiptMarks,\n];', '];'],
  ['plugins/policy/store.ts', 'sharedTextTables, decisionMarks]', 'sharedTextTables]'],
  ['plugins/row-marks/marks.ts', 'this.#insert.queue(name, valueOf(value), slot, this.#node);', ''],
  ['plugins/postgres/tables/identity.ts', "const oldestBeside = '0.2.0'", "const oldestBeside = '0.1.9'"],
];

// Longer than a server takes to start.
const mostMails = 30;

interface Lists {
  readonly runs: readonly { readonly run_id: string }[];
  readonly receipts: readonly { readonly run_id?: string }[];
  readonly decisions: readonly { readonly run_id?: string }[];
}

describe('a server that starts beside one whose program is older than it can serve with', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  let folder: string;
  before(async function () {
    needPostgres(this);
    folder = mkdtempSync(join(tmpdir(), 'orb-older-'));
    const copy = copyChanged(join(folder, 'older'), changes);
    const program = await bundleProgram(copy, join(copy, 'program'));
    cluster = await startCluster(['older', 'newer'], {}, (name) => (name === 'older' ? { program } : { down: true }));
  });
  after(async () => {
    await cluster?.remove();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const execute = async (node: ClusterNode, body: object): Promise<string> => {
    const run = await cluster.call<ShownRun>(node, 'POST', '/orbisets/default/execute', { body });
    expect([run.status, run.body.status], JSON.stringify(run.body)).to.deep.equal([200, 'completed']);
    return run.body.run_id;
  };

  it('serves when that one has stopped, and its lists find all that it wrote', async () => {
    const [older, newer] = cluster.nodes as [ClusterNode, ClusterNode];
    const started = cluster.start(newer);
    const mails: string[] = [];
    while (mails.length < mostMails && !newer.up) {
      mails.push(await execute(older, mailOf(`mail-${mails.length}`)));
      await delay(100);
    }
    const isBeside = newer.up;
    // Nobody else has run this Orb with this provider.
    const echo = await execute(older, { orb_id: 'demo.echo@1.0.0', inputs: { text: 'last' } });
    expect(await older.served.stop()).to.equal(0);
    await started;
    const found = async (name: keyof Lists, path: string): Promise<readonly unknown[]> => {
      const { body, status } = await cluster.call<Lists>(newer, 'GET', `${path}&limit=100`);
      expect(status, path).to.equal(200);
      return body[name].map(({ run_id }) => run_id).sort();
    };
    const echoOrb = encodeURIComponent('demo.echo@1.0.0');
    const mailOrb = encodeURIComponent('notify.email@1.0.0');
    expect(await found('runs', '/runs?provider=echo')).to.deep.equal([echo]);
    expect(await found('runs', '/runs?provider=mail')).to.deep.equal(mails.sort());
    expect(await found('receipts', `/receipts?orb=${echoOrb}`)).to.deep.equal([echo]);
    expect(await found('receipts', `/receipts?orb=${mailOrb}`)).to.deep.equal(mails.sort());
    expect(await found('decisions', `/policies/-/decisions?orb_id=${echoOrb}`)).to.deep.equal([echo]);
    expect(isBeside, 'it served beside the older one').to.equal(false);
  });

  it('lets the older program start no more', async () => {
    const [older] = cluster.nodes as [ClusterNode];
    const said = await cluster.start(older).catch((error: unknown) => String(error));
    expect(said)
      .to.match(/^Error: orb serve ended with 78/)
      .and.contain('needs the program 0.2.0 or newer, and this one is 0.1.9');
  });
});
