import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { need } from '../../../../helpers/needs.ts';
import { runPython } from '../../../../helpers/python.ts';
import { installClient, type Installed } from '../../../clients/built.ts';
import { installWheel, type InstalledWheel } from '../../../clients/python/installed.ts';
import { startConsole, type ConsoleSite, type ConsoleWindow } from '../../helpers.ts';

const run = promisify(execFile);
const orb = 'demo.echo@1.0.0';
const text = `it's "quoted" \\ $HOME \`id\` \${1} {x}\nsecond line\u2028 é 😀`;

describe('the calls that the console shows', function () {
  this.timeout(120_000);
  let site: ConsoleSite;
  let shown: ConsoleWindow;
  let folder: string;
  let npm: Installed;
  let wheel: InstalledWheel;
  let key: string;
  before(async function () {
    need(this, 'python');
    need(this, 'curl');
    [npm, wheel] = [await installClient(), await installWheel()];
    site = await startConsole(this);
    folder = mkdtempSync(join(tmpdir(), 'orb-calls-'));
    key = await site.platform.key({ name: 'tests', mode: 'test', scopes: ['orbs:execute'] });
    shown = await site.open(`/try?orb_id=${orb}`);
    await shown.page.getByRole('textbox').first().fill(text);
  });
  after(async () => {
    await shown?.close();
    await site?.close();
    npm?.remove();
    wheel?.remove();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const env = () => ({ PATH: process.env['PATH'] ?? '', HOME: folder, ORB_KEY: key });

  /** Chooses a language and reads its program. */
  const program = async (language: string, label: string): Promise<string> => {
    await shown.page.getByRole('tab', { name: language }).click();
    const sheet = shown.page.getByRole('region', { name: label }).first();
    return (await sheet.textContent()) ?? '';
  };
  const runs = async (): Promise<number> =>
    (await site.platform.call('GET', `/runs?orb_id=${orb}&limit=100`)).body.runs.length as number;

  const ways: readonly (readonly [string, string, (source: string) => Promise<string>])[] = [
    ['curl', 'request with curl', (source) => run('bash', ['-c', source], { env: env() }).then(({ stdout }) => stdout)],
    [
      'TypeScript',
      'request with TypeScript',
      async (source) => {
        writeFileSync(join(npm.folder, 'call.mts'), source);
        const { stdout } = await run(process.execPath, ['call.mts'], { cwd: npm.folder, env: env() });
        return stdout;
      },
    ],
    [
      'Python',
      'request with Python',
      (source) => {
        writeFileSync(join(folder, 'call.py'), source);
        return runPython(['call.py'], { cwd: folder, env: { ...env(), PYTHONPATH: wheel.folder } });
      },
    ],
    ['MCP', 'request by MCP', (source) => run('bash', ['-c', source], { env: env() }).then(({ stdout }) => stdout)],
  ];
  for (const [language, label, execute] of ways)
    it(`run as they are shown: ${language}`, async () => {
      const before = await runs();
      const printed = await execute(await program(language, label));
      expect(printed).to.match(/completed/);
      expect(printed).to.include('second line');
      expect(printed).to.include('rec_');
      expect(await runs()).to.equal(before + 1);
      await shown.check(`try-call-${language.toLowerCase()}`);
    });

  it('are chosen by keyboard', async () => {
    const { page } = shown;
    await page.getByRole('tab', { name: 'curl' }).focus();
    await page.getByRole('tab', { name: 'MCP' }).click();
    await shown.keys('ArrowRight');
    await page.getByRole('region', { name: 'request with curl' }).first().waitFor();
    expect(await page.getByRole('tab', { name: 'curl' }).getAttribute('aria-selected')).to.equal('true');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('curl');
    await shown.keys('End');
    await page.getByRole('region', { name: 'request by MCP' }).waitFor();
    await shown.keys('ArrowLeft');
    await page.getByRole('region', { name: 'request with Python' }).waitFor();
    expect(shown.faults).to.deep.equal([]);
  });
});
