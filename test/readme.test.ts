import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { builtin } from '../kernel/builtin.ts';
import { packageDir, readConfig } from '../kernel/boot/config.ts';
import { load } from '../kernel/boot/loader.ts';
import { referencedVariables } from '../kernel/tools/secret.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { blocks, tableUnder } from './helpers/readme.ts';
import { shapeOf } from './helpers/shape.ts';
import { typeFaults, type Source } from './helpers/type-check.ts';

const program = join(packageDir, 'kernel/orb.js');
const email = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };

const sources: readonly Source[] = blocks('ts').map(({ file, code }) => ({ path: file ?? '', code }));
const jsonUnder = (heading: string): object =>
  JSON.parse(blocks('json').find((block) => block.heading === heading)?.code ?? '') as object;

/** Writes the example files of the README into a home, outside the tree. */
function write(home: string): void {
  for (const { path, code } of sources) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), code);
  }
}

describe('the first run of the README', () => {
  let home: string;
  let server: ChildProcess;
  let banner: string;
  before(async () => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'orb-readme-')));
    const env = { ...process.env, ORB_LISTEN: '127.0.0.1:0', ORB_LOG_LEVEL: 'error' };
    server = spawn(process.execPath, [program, 'serve'], { cwd: home, env, stdio: ['ignore', 'pipe', 'inherit'] });
    banner = await bannerOf(server);
  });
  after(() => {
    server.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });

  const url = (): string => /Serving on (\S+)/.exec(banner)?.[1] ?? '';
  const [call, after1] = blocks('sh').filter(({ heading }) => heading === 'The first run');
  const bash = async (script: string): Promise<string> => {
    const env = { ...process.env, ORB_URL: url() };
    return (await promisify(execFile)('bash', ['-ec', script], { cwd: home, env })).stdout;
  };
  let receiptId: string;

  it('gives the call that the server prints', () => {
    const printed = banner
      .slice(banner.indexOf('curl'))
      .split('\n')
      .map((line) => line.trim());
    const given = (call?.code ?? '').split('\n').map((line) => line.trim());
    const relative = printed.map((line) => line.replace(url(), 'http://127.0.0.1:8080').replace(`${home}/`, ''));
    expect(given.filter((line) => line !== '')).to.deep.equal(relative.filter((line) => line !== ''));
  });

  it('gives a call that works as it stands, and its answer', async () => {
    const script = (call?.code ?? '').replace('http://127.0.0.1:8080', url());
    const answer = JSON.parse(await bash(script)) as { receipt: { receipt_id: string } };
    receiptId = answer.receipt.receipt_id;
    const shown = jsonUnder('The first run') as { receipt: object };
    expect(shapeOf(answer)).to.deep.equal(shapeOf(shown));
    const { trust_score, risk_level, signature_valid } = answer.receipt as Record<string, unknown>;
    expect(shown.receipt).to.include({ trust_score, risk_level, signature_valid });
  });

  it('gives the commands that fetch the receipt and verify it', async () => {
    const orb = `'${process.execPath}' '${program}'`;
    const script = (after1?.code ?? '').replaceAll('npx orb', orb).replace(/rec_\w+/, receiptId);
    expect(script).to.include(receiptId);
    expect(await bash(script)).to.match(/^VERIFIED$/m);
  });

  it('explains each deduction of that receipt', () => {
    const receipt = JSON.parse(readFileSync(join(home, 'receipt.json'), 'utf8')) as {
      trust_score: number;
      statement: { predicate: { score: { deductions: readonly { code: string; points: number }[] } } };
    };
    const { deductions } = receipt.statement.predicate.score;
    const rows = tableUnder('Why the first receipt scores 80').map(([code = '', points = '']) => [code, points]);
    expect(rows).to.deep.equal(deductions.map(({ code, points }) => [`\`${code}\``, String(points)]));
    expect(receipt.trust_score).to.equal(80);
  });
});

describe('the examples of the README', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-examples-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('name their file in the first line', () => {
    expect(sources.map(({ path }) => path)).to.deep.equal(['ext/acme.ts', 'ext/tally.ts']);
  });

  it('type-check against the public surface', () => {
    expect(typeFaults(sources)).to.deep.equal([]);
    const broken = sources.map(({ path, code }) => ({ path, code: code.replace("name: '", "nome: '") }));
    expect(typeFaults(broken), 'the check finds what is wrong').not.to.deep.equal([]);
  }).timeout(60_000);

  for (const { heading } of blocks('json').filter(({ code }) => code.includes('"providers"')))
    it(`load with the platform.json under "${heading}"`, async () => {
      const platform = jsonUnder(heading);
      write(home);
      mkdirSync(join(home, 'data'));
      writeFileSync(join(home, 'data/platform.json'), JSON.stringify(platform));
      const secrets = Object.fromEntries(referencedVariables(platform).map((name) => [name, 'a-secret']));
      const faults: string[] = [];
      const { providers } = await load(readConfig({ ...secrets, ORB_HOME: home }, home, faults), builtin, faults);
      expect([...providers.keys()]).to.deep.equal(Object.keys((platform as { providers: object }).providers));
    });
});

describe('the adapter and the plugin of the README', () => {
  let platform: TestPlatform;
  let vendor: Server;
  let home: string;
  const seen: { headers: Readonly<Record<string, unknown>>; body: unknown }[] = [];
  let status = 200;
  before(async () => {
    vendor = createServer((req, res) => {
      json(req).then(
        (body) => {
          seen.push({ headers: req.headers, body });
          res.writeHead(status).end('{"id":"acme-1"}');
        },
        (error: Error) => res.destroy(error),
      );
    });
    await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
    home = mkdtempSync(join(tmpdir(), 'orb-examples-'));
    write(home);
    const settings = jsonUnder('Extending it') as { providers: { 'acme-main': { config: { url: string } } } };
    settings.providers['acme-main'].config.url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/send`;
    platform = await startPlatform({ home, platform: settings, env: { ACME_TOKEN: 'acme-secret' } });
  });
  after(async () => {
    await platform.stop();
    vendor.close();
  });

  const run = () => platform.call('POST', '/orbisets/default/execute', { orb_id: 'notify.email@1.0.0', inputs: email });

  it('send the e-mail once, with the token and the key of the run, and count the run', async () => {
    const { status: answered, body } = await run();
    expect([answered, body.outputs]).to.deep.equal([200, { message_id: 'acme-1' }]);
    expect(seen).to.have.length(1);
    expect(seen[0]?.body).to.deep.equal(email);
    expect(seen[0]?.headers).to.include({ authorization: 'Bearer acme-secret' });
    expect(seen[0]?.headers['idempotency-key']).to.match(/^[a-z2-7]{52}$/);
    expect((await platform.call('GET', '/tally')).body).to.deep.equal({ completed: 1 });
  });

  for (const [answer, code] of [
    [401, 'provider_failed'],
    [422, 'provider_rejected'],
    [429, 'provider_unavailable'],
    [500, 'outcome_unknown'],
  ] as const)
    it(`make ${code} of a ${answer}`, async () => {
      status = answer;
      expect((await run()).body.code).to.equal(code);
    });
});

function bannerOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (/ -d '.*'\n/.test(out)) resolve(out);
    });
    child.once('exit', (code) => reject(new Error(`orb serve ended with ${code}: ${out}`)));
  });
}
