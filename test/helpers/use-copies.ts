// Loaded by mocha before tests that are run against copies of plugins: what a test imports of a copied plugin comes from
// the copy, whose imports answer the values of the tree.
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { provideAuthorModules } from '../../kernel/boot/author-modules.ts';
import * as surface from '../../plugins/kit/surface.ts';
import { packageDir } from './folder.ts';
import { contracts } from '../../plugins/contracts.ts';
import { copied, copies } from './copies.ts';

const tests = pathToFileURL(join(packageDir, 'test/')).href;
const places = copied.map((name) => [
  pathToFileURL(join(packageDir, 'plugins', name, '/')).href,
  pathToFileURL(join(copies ?? '', name, '/')).href,
]);

provideAuthorModules({ surface, contracts });
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (context.parentURL?.startsWith(tests) !== true) return resolved;
    const [from, to] = places.find(([shipped = '']) => resolved.url.startsWith(shipped)) ?? [];
    return from === undefined || to === undefined ? resolved : { ...resolved, url: resolved.url.replace(from, to) };
  },
});
