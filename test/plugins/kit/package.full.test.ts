import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import * as engine from '../../../kernel/engine.ts';
import * as surface from '../../../plugins/kit/surface.ts';
import { contracts } from '../../../plugins/contracts.ts';
import { version } from '../../../kernel/tools/version.ts';
import { copyOut } from '../../helpers/copies.ts';
import { send } from '../../helpers/http.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { until } from '../../helpers/until.ts';

const options = {
  target: 'es2024',
  lib: ['es2024'],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  // The declarations of the package are held to the same.
  skipLibCheck: false,
  types: ['node'],
  typeRoots: [join(packageDir, 'node_modules/@types')],
};

describe('the package for authors', function () {
  this.timeout(180_000);
  let served: Served;
  let installed: string;
  const npm = (cwd: string, ...words: readonly string[]): string =>
    execFileSync('npm', words, { cwd, encoding: 'utf8' });

  before(() => {
    npm(packageDir, 'run', '--silent', 'build:kit');
    served = createServed({ plugins: { watches: { from: 'ext/index.ts' } } });
    writeFileSync(join(served.home, 'package.json'), '{"private":true,"type":"module"}');
    const tarball = join(packageDir, `dist/agent-orb-kit-${version}.tgz`);
    npm(served.home, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball);
    installed = join(served.home, 'node_modules/agent-orb-kit');
    cpSync(join(import.meta.dirname, 'stranger'), join(served.home, 'ext'), { recursive: true });
    for (const name of ['marketplace', 'observability']) copyOut(name, join(served.home, 'copies'));
    cpSync(join(installed, 'examples/provider'), join(served.home, 'ext/acme'), { recursive: true });
  });
  after(() => served.remove());

  it('is all that its installation needs, and names no place of the machine it was built on', () => {
    const packages = readdirSync(join(served.home, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(packages).to.deep.equal(['agent-orb-kit']);
    const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const naming = files
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter(
        (file) => readFileSync(file, 'utf8').includes(packageDir) || readFileSync(file, 'utf8').includes(tmpdir()),
      );
    expect(naming).to.deep.equal([]);
  });

  it('holds the licence of each package that became part of it', () => {
    const licences = readFileSync(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of ['ajv', 'canonicalize', 'json-schema-to-ts', 'pino', 'ts-algebra', 'tweetnacl'])
      expect(licences).to.match(new RegExp(`^${name}\n`, 'm'));
    // The driver of the store is no part of it: a native program.
    expect(licences).to.not.match(/^better-sqlite3$/m);
  });

  it('names an import of all of an entry after the entry, not after the file that happened to be read first', () => {
    const declarations = readdirSync(join(installed, 'plugins')).filter((name) => name.endsWith('.d.ts'));
    const all = declarations.flatMap((name) => [
      ...readFileSync(join(installed, 'plugins', name), 'utf8').matchAll(/^import \* as (\S+) from "(agent-[^"]+)"/gm),
    ]);
    expect(all.length).to.be.above(5);
    for (const [, name, entry = ''] of all) expect(name).to.equal(`_$${entry.replaceAll(/\W/g, '_')}0`);
  });

  it('has the values of the public surface and of every contract', async () => {
    const valuesOf = async (path: string): Promise<string[]> =>
      Object.keys((await import(pathToFileURL(join(installed, path)).href)) as object).sort();
    expect(await valuesOf('index.js')).to.deep.equal(Object.keys(surface).sort());
    expect(await valuesOf('engine.js')).to.deep.equal(Object.keys(engine).sort());
    for (const [name, contract] of Object.entries(contracts))
      expect(await valuesOf(`plugins/${name}.js`), name).to.deep.equal(Object.keys(contract).sort());
  });

  it("types a stranger's code, its examples and copies of shipped plugins, and refuses what is wrong", () => {
    const config = { compilerOptions: options, include: ['ext', 'copies', 'node_modules/agent-orb-kit/examples'] };
    writeFileSync(join(served.home, 'tsconfig.json'), JSON.stringify(config));
    const compiler = join(packageDir, 'node_modules/@typescript/native/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', served.home], { encoding: 'utf8' });
    expect([status, stdout]).to.deep.equal([0, '']);
  });

  it("runs a stranger's tests without a server, the conformance suite among them", () => {
    const { status, stdout } = spawnSync(process.execPath, ['--test', 'ext/plain.ts', 'ext/acme/index.test.ts'], {
      cwd: served.home,
      encoding: 'utf8',
    });
    expect(status, stdout).to.equal(0);
    expect(stdout).to.match(/fail 0\b/);
  });

  it("lets a stranger's plugin have a store, an id, a problem, a kind of fact, a hook and a command; all values are the server's", async () => {
    const { url, key } = await served.start();
    const json = { orb_id: 'demo.echo@1.0.0' };
    const made = await send(url, '/watches', { key, json });
    expect(made.json['watch_id'], made.text).to.match(/^wat_[0-9A-Z]{26}$/);
    await send(url, '/orbisets/default/execute', { key, json: { ...json, inputs: { text: 'watched' } } });
    const watch = { watch_id: made.json['watch_id'], orb_id: json.orb_id, tier: 'none', run_count: 1 };
    // The hook is not awaited.
    const seen = await until(
      async () => (await send(url, '/watches', { key })).json,
      (found) => JSON.stringify(found).includes('"run_count":1'),
    );
    expect(seen).to.deep.equal({ watches: [watch], told_count: 1, scored: true });
    const { receipt_id, watch_id } = made.json;
    const receipt = await send(url, `/receipts/${String(receipt_id)}`, { key });
    expect(receipt.json['signature_valid'], receipt.text).to.equal(true);
    const { payload } = receipt.json['envelope'] as { payload: string };
    const { predicate } = JSON.parse(Buffer.from(payload, 'base64').toString()) as { predicate: object };
    expect(predicate).to.deep.include({ watch_id, facts: { orb_id: json.orb_id } });
    const file = join(served.home, 'watch.json');
    writeFileSync(file, receipt.text);
    const verified = served.orb('receipts', 'verify', file);
    expect(verified.status, verified.stdout + verified.stderr).to.equal(0);
    // The writer thread threw it: another copy of its class would be a 500.
    const missing = await send(url, '/watches/demo.other@1.0.0', { method: 'DELETE', key });
    expect([missing.status, missing.json['code']], missing.text).to.deep.equal([404, 'watch_not_found']);
    await served.stop();
  });

  it('is not read by the server, which answers its imports: by the two threads and by commands', async () => {
    rmSync(join(served.home, 'node_modules'), { recursive: true });
    const { url, key } = await served.start();
    expect((await send(url, '/watches', { key })).json['watches']).to.have.length(1);
    const { status, stdout, stderr } = served.orb('watches', 'list');
    expect([status, /demo\.echo@1\.0\.0 +1/.test(stdout)], stdout + stderr).to.deep.equal([0, true]);
  });
});
