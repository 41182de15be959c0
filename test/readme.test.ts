import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { packageDir } from './helpers/folder.ts';
import { guideBlocks, readGuide, type Block } from './helpers/guide.ts';
import { need } from './helpers/needs.ts';
import { pagesFolder } from './helpers/pages.ts';

const program = join(packageDir, 'kernel/orb.js');
const start = `${pagesFolder}/start.md`;
const blocks = (language: string): readonly Block[] =>
  guideBlocks('README.md').filter((block) => block.language === language);

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
  it('gives the call that the server prints', () => {
    const printed = banner
      .slice(banner.indexOf('curl'))
      .split('\n')
      .map((line) => line.trim());
    const given = (call?.code ?? '').split('\n').map((line) => line.trim());
    const relative = printed.map((line) => line.replace(url(), 'http://127.0.0.1:8080').replace(`${home}/`, ''));
    expect(given.filter((line) => line !== '')).to.deep.equal(relative.filter((line) => line !== ''));
  });

  it('names the command that opens the console, which the server prints with the address', () => {
    expect(banner).to.match(/^ {2}console {4}http:\/\/127\.0\.0\.1:\d+\/console \(sign in: orb console open\)$/m);
    expect(readFileSync(join(packageDir, 'README.md'), 'utf8')).to.contain('`npx orb console open`');
  });

  it('gives a call that works as it stands, and its answer', async function () {
    need(this, 'curl');
    const script = (call?.code ?? '').replace('http://127.0.0.1:8080', url());
    const answer = JSON.parse(await bash(script)) as { receipt: { receipt_id: string } };
    const shown = guideBlocks(start).find(({ language }) => language === 'json')?.code ?? '';
    const { receipt } = JSON.parse(shown) as { receipt: object };
    const { trust_score, risk_level, signature_valid } = answer.receipt as Record<string, unknown>;
    expect(receipt).to.include({ trust_score, risk_level, signature_valid });
  });

  it('gives the commands that fetch the receipt and verify it', async function () {
    need(this, 'curl');
    const orb = `'${process.execPath}' '${program}'`;
    const script = (after1?.code ?? '').replaceAll('npx orb', orb);
    expect(await bash(script)).to.match(/^VERIFIED$/m);
  });

  it('explains each deduction of that receipt', function () {
    need(this, 'curl');
    const receipt = JSON.parse(readFileSync(join(home, 'receipt.json'), 'utf8')) as {
      trust_score: number;
      statement: { predicate: { score: { deductions: readonly { code: string; points: number }[] } } };
    };
    const { deductions } = receipt.statement.predicate.score;
    const rows = [...readGuide(start).matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, code, points]) => [code, points]);
    expect(rows).to.deep.equal(deductions.map(({ code, points }) => [code, String(points)]));
    expect(receipt.trust_score).to.equal(80);
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
