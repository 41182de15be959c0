import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { clientPackages } from '../../../plugins/clients/build/packages.ts';
import { bundle } from '../../../plugins/clients/build/typescript.ts';
import { packageDir } from '../../helpers/folder.ts';
import { buildClients, copySources, installClient, type Installed } from './built.ts';

// A bundler of a program leaves the reference to the source map out.
const sizeOf = (code: string): number => gzipSync(code.replace(/\/\/# sourceMappingURL.*/, ''), { level: 9 }).length;

describe('the package of the TypeScript client', function () {
  this.timeout(60_000);
  let installed: Installed;
  before(async () => {
    installed = await installClient();
  });
  after(() => installed?.remove());
  const text = (name: string): string => readFileSync(join(installed.folder, 'node_modules/agent-orb', name), 'utf8');

  it('has the same bytes when it is built in another folder', async () => {
    const other = copySources();
    try {
      const [here, there] = [await clientPackages(packageDir), await clientPackages(other)];
      expect(Object.keys(there)).to.deep.equal(Object.keys(here));
      for (const [name, bytes] of Object.entries(here))
        expect(Buffer.compare(bytes, there[name] ?? Buffer.alloc(0)), name).to.equal(0);
      expect(
        Buffer.compare(here[Object.keys(here)[0] ?? ''] ?? Buffer.alloc(0), readFileSync(buildClients())),
      ).to.equal(0);
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  it('holds one module with its declarations, without a dependency, code of others, a test or a path of this machine', () => {
    const files = execFileSync('tar', ['-tzf', buildClients()], { encoding: 'utf8' }).trim().split('\n');
    expect(files).to.deep.equal(
      ['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'index.js.map', 'package.json'].map(
        (name) => `package/${name}`,
      ),
    );
    const manifest = JSON.parse(text('package.json')) as Readonly<Record<string, unknown>>;
    for (const member of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts'])
      expect(manifest).to.not.have.property(member);
    const all = gunzipSync(readFileSync(buildClients())).toString('latin1');
    expect(all).to.not.include(packageDir);
    expect(text('index.js.map')).to.not.include('node_modules');
  });

  it('is at most 20 KB when compressed, with the verifier, and asks for nothing of one runtime', async () => {
    const code = text('index.js');
    const { code: readable } = await bundle({ root: packageDir, version: '0.0.0' }, false);
    const size = sizeOf(code);
    console.log(`      ${size} bytes (gzip of the module as it is shipped; not minified: ${sizeOf(readable)})`);
    expect(size).to.be.at.most(20 * 1024);
    expect(code).to.not.match(/\bBuffer\b|\brequire\(|from ?"node:|import\(/);
    // The name of a runtime is read of the global object.
    expect(code).to.not.match(/(?<![.\w])process\./);
  });

  it('exports what its declarations declare', () => {
    const declared = [...text('index.d.ts').matchAll(/^export declare (?:const|function|class) (\w+)/gm)].map(
      ([, name]) => name,
    );
    expect(Object.keys(installed.client).sort()).to.deep.equal(declared.sort());
    expect(text('index.d.ts')).to.not.match(/^import /m);
  });
});
