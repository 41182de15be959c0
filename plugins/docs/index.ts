import { definePlugin } from '../../kernel/index.ts';
import { createLibrary } from './library.ts';
import { docsRoutes } from './routes.ts';
import { createSearch } from './search.ts';

/** Shows the documentation: the pages beside this file, and reference pages made from the program that runs. */
export default definePlugin({
  name: 'docs',
  start({ platform, scopes, metrics, version, publicUrl }) {
    const library = createLibrary({ describe: () => platform.describe(), scopes, metrics });
    return { routes: docsRoutes({ library, search: createSearch(library), version, publicUrl }) };
  },
});
