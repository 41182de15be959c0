import { definePlugin } from '../../kernel/index.ts';
import { pages } from './contract.ts';
import { createPages } from './pages.ts';
import { createPresent } from './site/present.ts';
import { siteRoutes } from './site/routes.ts';

/** Shows people what programs get as data: the frame of all pages, the start page, problems and public answers. */
export default definePlugin({
  name: 'pages',
  provides: { pages },
  start({ brand, hooks, publicUrl, version }) {
    const own = createPages({ brand, version });
    hooks.present.tap('pages', createPresent(own, publicUrl));
    return { services: { pages: own }, routes: siteRoutes(own, { brand, publicUrl, version }) };
  },
});
