// npm run build:kit: builds the package `agent-orb-kit` for authors in dist/kit, and packs it as
// dist/agent-orb-kit-<version>.tgz. Without `--pack` it makes the folder alone. Nothing is built when the sources have
// not changed.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { buildFolder } from './packages/built-folder.ts';

const root = resolve(import.meta.dirname, '../..');
const target = 'dist/kit';

await buildFolder({
  ...{ root, target },
  from: ['kernel', 'plugins', 'providers/vendor', 'package.json', 'LICENSE'],
  includes: (path) => /\.c?[jt]s$/.test(path) || path.startsWith('plugins/kit/'),
  async write(folder) {
    // The bundlers are installed for development only; a package that is built already needs none of them.
    const { writePackage } = await import('./package.ts');
    await writePackage(root, join(folder, 'agent-orb-kit'));
  },
});
if (process.argv.includes('--pack')) pack();

function pack(): void {
  const options = { cwd: join(root, target, 'agent-orb-kit'), encoding: 'utf8' } as const;
  const name = execFileSync('npm', ['pack', '--silent', '--pack-destination', join(root, 'dist')], options).trim();
  console.log(join(root, 'dist', name));
}
