import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { copyOut } from '../../helpers/copies.ts';

const names = ['marketplace', 'observability'];
const whole = process.env['COPIES_SOAK'] !== undefined;
// Lists, writes and pages; commands, in a process of its own; a page, and units whose source the test imports.
const few = ['marketplace/lists', 'marketplace/publish', 'observability/commands', 'observability/traces'];
const files = whole ? names.map((name) => `${name}/**/*`) : few;

/** Runs tests of plugins against the copies in a folder. */
function run(copies: string, patterns: readonly string[]): Promise<{ readonly code: unknown; readonly said: string }> {
  const words = patterns.map((pattern) => `test/plugins/${pattern}.test.ts`);
  const args = [
    join(packageDir, 'node_modules/mocha/bin/mocha.js'),
    '--require',
    'test/helpers/use-copies.ts',
    ...words,
  ];
  const options = { cwd: packageDir, env: { ...process.env, ORB_COPIES: copies }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) =>
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, said: stdout + stderr }),
    ),
  );
}

describe('plugins that were copied out of the tree, with nothing changed but their imports', function () {
  this.timeout(whole ? 1_200_000 : 180_000);
  let copies: string;
  beforeEach(() => {
    copies = mkdtempSync(join(tmpdir(), 'orb-copies-'));
    for (const name of names) copyOut(name, copies);
  });
  afterEach(() => rmSync(copies, { recursive: true, force: true }));

  it('replace the shipped ones, and pass their own tests', async () => {
    const { code, said } = await run(copies, files);
    expect(code, said).to.equal(0);
    expect(Number(/(\d+) passing/.exec(said)?.[1])).to.be.greaterThan(whole ? 280 : 70);
  });

  it('are what those tests run: a broken copy fails them', async () => {
    writeFileSync(join(copies, 'observability/index.ts'), "throw new Error('a broken copy');");
    const { code, said } = await run(copies, ['observability/traces']);
    expect(code).to.not.equal(0);
    expect(said).to.contain('a broken copy');
  });
});
