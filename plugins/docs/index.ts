import { definePlugin } from '../../kernel/index.ts';
import { openapi } from '../openapi/contract.ts';
import { pages } from '../pages/contract.ts';
import { createLibrary } from './library.ts';
import { docsRoutes } from './routes.ts';
import { createSearch } from './search.ts';

/** Serves the documentation: the pages in `pages/`, and reference pages generated from the running program. */
export default definePlugin({
  name: 'docs',
  requires: { openapi },
  uses: { pages },
  start({ log, metrics, platform, publicUrl, scopes, services, version }) {
    const { pages: site } = services;
    if (site === undefined) {
      log.info({}, 'the documentation is not available: enable the plugin `pages`');
      return {};
    }
    const library = createLibrary({
      describe: () => platform.describe(),
      openapi: () => services.openapi.document(),
      ...{ scopes, metrics },
    });
    const search = createSearch(library, site.markdown);
    return { routes: docsRoutes({ library, search, version, publicUrl, pages: site }) };
  },
});
