import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import { build as esbuild } from 'esbuild';
import { packageFolders } from '../../../plugins/kit/binary/contents.ts';
import { lazyPackages, needed, pageScripts, placed, threadFiles } from '../../../plugins/kit/binary/sources.ts';
import { checksums } from '../../../plugins/release/build/checksums.ts';
import { releaseOf } from '../../../plugins/release/build/release.ts';
import { statement } from '../../../plugins/release/build/statement.ts';
import { packageDir } from '../../helpers/folder.ts';
import { need } from '../../helpers/needs.ts';
import { runPython } from '../../helpers/python.ts';
import { build, built } from './built.ts';

interface Bom {
  readonly components: readonly { readonly purl: string; readonly licenses: readonly object[] }[];
  readonly dependencies: readonly object[];
}

const judge = join(packageDir, 'test/plugins/release/judge.py');
const { version } = releaseOf(packageDir);
const x64 = `orb-${version}-linux-x64`;

/** Bundles what the executable bundles, with the bundler alone, and answers the packages that code was taken of. */
async function bundledPackages(): Promise<readonly string[]> {
  const lazy = new Set(lazyPackages(packageDir));
  const entries = ['kernel/binary/entry.ts', ...threadFiles(packageDir), ...pageScripts(packageDir), ...lazy];
  const inputs = new Set<string>();
  for (const entry of entries) {
    const isPage = pageScripts(packageDir).includes(entry);
    const { metafile } = await esbuild({
      ...{ absWorkingDir: packageDir, entryPoints: [entry], bundle: true, metafile: true, write: false },
      ...{ minifySyntax: true, platform: isPage ? 'browser' : 'node', format: isPage ? 'iife' : 'cjs' },
      plugins: isPage ? [] : lazy.has(entry) ? [needed] : [placed(packageDir)],
      logLevel: 'error',
    });
    for (const { inputs: own } of Object.values(metafile.outputs))
      for (const [path, { bytesInOutput }] of Object.entries(own)) if (bytesInOutput > 0) inputs.add(path);
  }
  return packageFolders(inputs);
}

/** Names a package as a list of parts does. */
function purlOf(folder: string): string {
  const { name, version: own } = JSON.parse(readFileSync(join(packageDir, folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
  };
  return `pkg:npm/${name.replace('@', '%40')}@${own}`;
}

describe('a whole release', function () {
  this.timeout(600_000);
  let dir: string;
  let folder: string;
  let pem: string;
  let bom: Bom;
  before(async function () {
    build(this, 'executables', 'sbom', 'notice');
    dir = mkdtempSync(join(tmpdir(), 'orb-whole-'));
    folder = join(dir, 'dist', version);
    mkdirSync(folder, { recursive: true });
    for (const name of ['NOTICE', ...readdirSync(built.folder).filter((one) => one.endsWith('.cdx.json'))])
      cpSync(join(built.folder, name), join(folder, name));
    cpSync(join(built.work, 'executables/linux-x64/orb'), join(folder, x64));
    const key = join(dir, 'release.key');
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    await checksums({ folder });
    process.env['ORB_RELEASE_KEY'] = key;
    try {
      await statement({ ...releaseOf(packageDir), folder });
    } finally {
      delete process.env['ORB_RELEASE_KEY'];
    }
    pem = join(dir, 'dist/log/key.pem');
    bom = JSON.parse(readFileSync(join(folder, `${x64}.cdx.json`), 'utf8')) as Bom;
  });
  after(() => dir !== undefined && rmSync(dir, { recursive: true, force: true }));

  const partsOf = (type: string): readonly string[] =>
    bom.components.map(({ purl }) => purl).filter((purl) => purl.startsWith(`pkg:${type}/`));
  const orb = (...words: readonly string[]) =>
    spawnSync(join(folder, x64), words, { cwd: dir, env: {}, encoding: 'utf8', maxBuffer: 1 << 24 });

  it('is verified by its own executable, and any flipped byte is found', () => {
    const verify = () => orb('verify-release', folder, '--key', pem);
    const { status, stdout, stderr } = verify();
    expect([status, stdout.trim().split('\n').at(-1), stderr]).to.deep.equal([0, 'VERIFIED', '']);
    const file = openSync(join(folder, 'NOTICE'), 'r+');
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, 1000);
    writeSync(file, Buffer.of((byte[0] ?? 0) ^ 1), 0, 1, 1000);
    const changed = verify();
    writeSync(file, byte, 0, 1, 1000);
    expect([changed.status, /^FAIL NOTICE: /m.test(changed.stdout)]).to.deep.equal([1, true]);
    expect(verify().status).to.equal(0);
    linkSync(join(folder, 'SHA256SUMS'), join(folder, 'more'));
    expect(verify().status).to.equal(1);
    rmSync(join(folder, 'more'));
  });

  it('lists the packages that the bundler names, and only those', async () => {
    const bundled = new Set((await bundledPackages()).map(purlOf));
    // The driver lies next to the bundles; types of a package are part of the declarations for authors.
    const beside = ['better-sqlite3', 'json-schema-to-ts', 'ts-algebra'].map((name) => purlOf(`node_modules/${name}`));
    expect(partsOf('npm')).to.have.members([...new Set([...bundled, ...beside])]);
  });

  it('lists the modules that the policy compiler says it is made of, and only those', () => {
    const [file = ''] = readdirSync(join(packageDir, 'dist')).filter((name) => name.startsWith('policy-compiler-'));
    const compiler = brotliDecompressSync(readFileSync(join(packageDir, 'dist', file))).toString('latin1');
    const named = [...compiler.matchAll(/\ndep\t([^\t]+)\t([^\t\n]+)/g)].map(([, path, own]) => `${path}@${own}`);
    expect(named).to.have.length.above(10);
    const modules = partsOf('golang').filter((purl) => !purl.startsWith('pkg:golang/std@'));
    expect(modules).to.have.members(named.map((module) => `pkg:golang/${module}`));
  });

  it('lists the parts that the embedded Node names', () => {
    const { node, openssl, sqlite } = JSON.parse(orb('version', '--json').stdout) as Record<string, string>;
    expect(partsOf('generic')).to.include.members([
      `pkg:generic/node@${node}`,
      `pkg:generic/openssl@${openssl}`,
      `pkg:generic/sqlite@${sqlite}`,
    ]);
    expect(bom.components.filter(({ licenses }) => licenses.length === 0)).to.deep.equal([]);
  });

  it('is in the executable with the same parts', () => {
    const held = JSON.parse(orb('version', '--sbom').stdout) as Bom;
    expect([held.components, held.dependencies]).to.deep.equal([bom.components, bom.dependencies]);
  });

  it('has the licence of every package with its text in NOTICE', () => {
    const notice = readFileSync(join(folder, 'NOTICE'), 'utf8');
    for (const { purl } of bom.components) {
      const [, name = '', own = ''] = /^pkg:\w+\/(.+)@([^@]+)$/.exec(decodeURIComponent(purl)) ?? [];
      if (!purl.startsWith('pkg:generic/')) expect(notice).to.contain(`${name} ${own} (`);
    }
  });

  it('is read by libraries that are not ours (securesystemslib, in-toto-attestation, cyclonedx-python-lib)', async function () {
    need(this, 'python');
    const names = JSON.parse(await runPython([judge, 'statement', folder, pem], { cwd: dir })) as string[];
    expect(names).to.deep.equal(
      readdirSync(folder)
        .filter((name) => !/^release\./.test(name))
        .sort(),
    );
    const boms = names.filter((name) => name.endsWith('.cdx.json')).map((name) => join(folder, name));
    expect((await runPython([judge, 'bom', ...boms], { cwd: dir })).trim().split('\n')).to.deep.equal(boms);
    const wrong = join(dir, 'wrong.cdx.json');
    writeFileSync(wrong, readFileSync(boms[0] ?? '', 'utf8').replace('"library"', '"book"'));
    const refused: unknown = await runPython([judge, 'bom', wrong], { cwd: dir }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error);
  });
});
