// npm run build:clients: builds the packages of the client libraries in dist/clients. Nothing is built when the sources
// have not changed.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildFolder } from '../../kit/packages/built-folder.ts';

const root = resolve(import.meta.dirname, '../../..');

await buildFolder({
  root,
  target: 'dist/clients',
  from: ['plugins/clients', 'plugins/receipts', 'plugins/kit/packages', 'package.json', 'LICENSE'],
  includes: (path) => !path.includes('/vectors/'),
  async write(folder) {
    // The bundler is installed for development only; packages that are built already need none.
    const { clientPackages } = await import('./packages.ts');
    for (const [name, bytes] of Object.entries(await clientPackages(root))) writeFileSync(join(folder, name), bytes);
  },
});
