import { definePlugin } from '../../kernel/index.ts';
import { createLibrary } from './library.ts';
import { docsRoutes } from './routes.ts';
import { createSearch } from './search.ts';

/** Serves the documentation: the pages in `pages/`, and reference pages generated from the running program. */
export default definePlugin({
  name: 'docs',
  start({ platform, scopes, metrics, version, publicUrl }) {
    const library = createLibrary({ describe: () => platform.describe(), scopes, metrics });
    return { routes: docsRoutes({ library, search: createSearch(library), version, publicUrl }) };
  },
});
