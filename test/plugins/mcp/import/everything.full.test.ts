import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageDir } from '../../../helpers/folder.ts';
import { startBed, type Bed } from '../../../providers/mcp/bed.ts';
import { until } from '../../../helpers/until.ts';

const entry = join(packageDir, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const rewriting = new URL('rewriting.ts', import.meta.url).pathname;
const changed = join(mkdtempSync(join(tmpdir(), 'orb-everything-')), 'changed');

const calls: readonly (readonly [tool: string, inputs: object, outputs: RegExp])[] = [
  ['echo', { message: 'hi' }, /Echo: hi/],
  ['get-sum', { a: 2, b: 3 }, /is 5/],
  ['get-structured-content', { location: 'New York' }, /"structured":\{.*"temperature":/],
  ['get-tiny-image', {}, /"type":"image"/],
  ['get-resource-links', { count: 2 }, /"type":"resource_link"/],
  ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }, /"type":"resource"/],
  ['trigger-long-running-operation', { duration: 1, steps: 2 }, /completed/],
];

describe('the official server-everything', function () {
  this.timeout(120_000);
  let bed: Bed;
  let child: ChildProcess;

  before(async () => {
    const port = await freePort();
    child = spawn(process.execPath, [entry, 'streamableHttp'], { env: { PORT: String(port) }, stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}/mcp`;
    await until(
      () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      (up) => up,
      'the server over http',
    );
    bed = await startBed(
      {
        pipe: { adapter: 'mcp/stdio', config: { command: process.execPath, args: [entry, 'stdio'] } },
        web: { adapter: 'mcp/http', config: { url, private: true } },
        odd: { adapter: 'mcp/stdio', config: { command: process.execPath, args: [rewriting, changed, entry] } },
      },
      [],
    );
  });
  after(async () => {
    await bed.platform.stop();
    child.kill();
  });

  for (const provider of ['pipe', 'web'])
    it(`is imported and called over ${provider}, each call with a receipt that verifies`, async () => {
      const dry = await bed.platform.call('POST', `/providers/${provider}/import`, {});
      expect(dry.body).to.include({ provider, written: false });
      expect((await bed.platform.call('GET', `/orbs/${provider}.echo@1.0.0`)).status).to.equal(404);
      const { body: report } = await bed.platform.call('POST', `/providers/${provider}/import`, { write: true });
      expect(changesIn(report)).to.deep.equal(['new']);
      expect(report.tools.map(({ tool }: { tool: string }) => tool)).to.include.members(calls.map(([tool]) => tool));
      for (const [tool, inputs, outputs] of calls) {
        const answer = await bed.execute(`${provider}.${tool}@1.0.0`, inputs);
        expect(answer.body, tool).to.include({ status: 'completed' });
        expect(JSON.stringify(answer.body.outputs), tool).to.match(outputs);
        const { body: receipt } = await bed.platform.call('GET', `/receipts/${answer.body.receipt.receipt_id}`);
        expect(receipt.statement.predicate.facts.upstream, tool).to.deep.include({ tool, pinned: true });
        expect((await bed.platform.call('POST', '/receipts/verify', receipt)).body.overall, tool).to.equal('VERIFIED');
      }
      const again = await bed.platform.call('POST', `/providers/${provider}/import`, { write: true });
      expect(changesIn(again.body)).to.deep.equal(['unchanged']);
    });

  it('is stopped, with an incident, when it changes the definition of a tool', async () => {
    const answer = () => bed.execute('odd.echo@1.0.0', { message: 'hi' });
    await bed.platform.call('POST', '/providers/odd/import', { write: true, only: ['echo'] });
    expect((await answer()).status).to.equal(200);
    writeFileSync(changed, '');
    const { body: report } = await bed.platform.call('POST', '/providers/odd/import', { only: ['echo'] });
    expect(report.tools[0]).to.include({ change: 'patch', orb_id: 'odd.echo@1.0.1' });
    expect((await answer()).body).to.include({ status: 502, code: 'definition_changed' });
    const { body } = await until(
      () => bed.platform.call('GET', '/incidents'),
      ({ body: { incidents } }) => incidents.length === 1,
      'the incident',
    );
    expect(body.incidents[0].scope).to.deep.equal([{ kind: 'provider', id: 'odd' }]);
    const { status } = await bed.platform.call('DELETE', '/orbs/odd.echo@1.0.0');
    expect(status).to.be.oneOf([200, 204]);
    await until(
      () => bed.platform.call('GET', '/incidents'),
      ({ body: { incidents } }) => incidents[0].state === 'resolved',
      'the end of the incident',
    );
  });
});

const changesIn = ({ tools }: { readonly tools: readonly { readonly change: string }[] }): string[] => [
  ...new Set(tools.map(({ change }) => change)),
];
