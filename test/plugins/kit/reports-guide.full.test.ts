import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { guideBlocks } from '../../helpers/guide.ts';
import { send } from '../../helpers/http.ts';
import { shippedProgram } from '../../helpers/program.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { until } from '../../helpers/until.ts';

const guide = 'plugins/docs/pages/extend/reports.md';
const blocks = guideBlocks(guide);
const program = `'${process.execPath}' '${shippedProgram}'`;

interface Text {
  readonly reference: string;
  readonly callback: string;
}

type Settings = Partial<Record<'adapters' | 'plugins' | 'providers', object>>;

describe('the guide for authors of adapters with delivery reports', function () {
  this.timeout(120_000);
  let served: Served;
  let at: { url: string; key: string };
  let pigeon: Server;
  const texts: Text[] = [];
  before(async () => {
    pigeon = createServer((request, response) => {
      void text(request).then((body) => {
        texts.push(JSON.parse(body) as Text);
        // It took the message, and its answer is lost.
        response.destroy();
      });
    });
    await new Promise<void>((resolve) => pigeon.listen(0, '127.0.0.1', resolve));
    served = createServed(undefined, {
      env: { PIGEON_TOKEN: 'a-made-up-token', ORB_PUBLIC_URL: 'https://orb.example.com' },
    });
    at = await served.start();
  });
  after(async () => {
    pigeon?.close();
    await served?.remove();
  });

  const shell = async (script: string): Promise<string> => {
    const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
    const env = { PATH, ORB_URL: at.url };
    const whole = script.replaceAll('npx orb', program);
    const { stdout, stderr } = await promisify(execFile)('bash', ['-ec', whole], { cwd: served.home, env });
    return stdout + stderr;
  };
  const code = (heading: string, language: string): string =>
    blocks
      .filter((block) => block.heading === heading && block.language === language)
      .map((block) => block.code)
      .join('');

  it('has every block run by this file', () => {
    const told = blocks.map(({ heading, language }) => `${heading}: ${language}`);
    expect(told).to.deep.equal([
      'The adapter: sh',
      'The adapter: ts',
      'The adapter: json',
      'The adapter: sh',
      'The reports: ts',
      'Load both files: json',
      'Load both files: sh',
    ]);
  });

  it('makes an adapter of at most 150 lines that passes the verification', async () => {
    const [make = '', verify = ''] = blocks
      .filter(({ language, heading }) => language === 'sh' && heading === 'The adapter')
      .map((block) => block.code);
    expect(await shell(make)).to.include('ext/sms-pigeon/index.ts');
    const files = {
      'index.ts': code('The adapter', 'ts'),
      'reports.ts': code('The reports', 'ts'),
      'verify.json': code('The adapter', 'json'),
    };
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(served.home, 'ext/sms-pigeon', name), content);
    const lines = [files['index.ts'], files['reports.ts']].join('').trimEnd().split('\n');
    expect(lines.length).to.be.at.most(150);
    expect(await shell(verify)).to.include('sms/pigeon for notify.sms@1.0.0: CONFORMS');
  });

  it('gets reports at the address of each call, and a signed one settles the run', async () => {
    const { port } = pigeon.address() as AddressInfo;
    const path = join(served.home, 'data/platform.json');
    const settings = code('Load both files', 'json').replace('https://pigeon.example', `http://127.0.0.1:${port}`);
    const bindings = { 'notify.sms@1.0.0': ['pigeon-main'] };
    const [before, added] = [readFileSync(path, 'utf8'), settings].map((json) => JSON.parse(json) as Settings);
    const plugins = { ...before?.plugins, ...added?.plugins };
    const providers = { ...before?.providers, ...added?.providers };
    writeFileSync(path, JSON.stringify({ ...before, ...added, bindings, plugins, providers }));
    expect(await served.stop()).to.equal(0);
    at = await served.start();
    const secret = /^secret\s+(\S+)$/m.exec(await shell(code('Load both files', 'sh')))?.[1] ?? '';
    const json = { orb_id: 'notify.sms@1.0.0', inputs: { to: '+4915123456789', text: 'hello' } };
    const lost = await send(at.url, '/orbisets/default/execute', { key: at.key, json });
    expect(lost.status).to.equal(504);
    const { callback, reference } = texts.at(-1) ?? expect.fail();
    const body = JSON.stringify({ id: 'p-1', reference, status: 'landed', time: new Date().toISOString() });
    const deliver = (key: string) =>
      fetch(callback.replace('https://orb.example.com', at.url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'pigeon-signature': createHmac('sha256', key).update(body).digest('hex'),
        },
        body,
      });
    expect((await deliver('another secret')).status).to.equal(401);
    expect((await deliver(secret)).status).to.equal(202);
    const run = await until(
      async () => (await send(at.url, `/runs/${String(lost.json['run_id'])}`, { key: at.key })).json,
      ({ status }) => status === 'completed',
    );
    expect(run['delivery']).to.include({ state: 'delivered' });
  });
});
