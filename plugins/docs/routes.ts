import { defineRoute, type Reply, type Route } from '../../kernel/index.ts';
import type { Library } from './library.ts';
import type { Search } from './search.ts';
import { documentPage, missingPage, searchPage, type Frame } from './view.ts';

/** Dependencies of the routes. */
export interface DocsScope {
  readonly library: Library;
  readonly search: Search;
  /** Version of the program, shown on each page. */
  readonly version: string;
  readonly publicUrl: string;
}

const segment = (description: string) => ({ type: 'string', maxLength: 200, description }) as const;
const page = {
  method: 'GET',
  service: 'shared',
  public: true,
  anyQuery: true,
  produces: 'text/html',
} as const;

/** Makes the routes of the documentation. */
export function docsRoutes(scope: DocsScope): readonly Route[] {
  const frame = (): Frame => ({ ...scope, groups: scope.library.groups() });
  const show = (path: string): Promise<Reply> | Reply => {
    const found = scope.library.find(path);
    return found === undefined ? missingPage(frame(), path) : documentPage(frame(), found);
  };
  return [
    ...fixedRoutes(show),
    defineRoute({
      ...page,
      path: '/docs/search',
      operationId: 'searchDocs',
      summary: 'Search the documentation (a page)',
      query: { type: 'object', properties: { q: { ...segment('Words to look for'), default: '' } } },
      handle: async ({ query: { q } }) => searchPage(frame(), q, await scope.search(q)),
    }),
    defineRoute({
      ...page,
      path: '/docs/{page}',
      operationId: 'showDocsPage',
      summary: 'Read a page of the documentation',
      also: [404],
      params: { type: 'object', required: ['page'], properties: { page: segment('Name of the page') } },
      handle: ({ params }) => show(params.page),
    }),
    defineRoute({
      ...page,
      path: '/docs/{section}/{subpage}',
      operationId: 'showDocsSubpage',
      summary: 'Read a page of a section of the documentation',
      also: [404],
      params: {
        type: 'object',
        required: ['section', 'subpage'],
        properties: { section: segment('Name of the section'), subpage: segment('Name of the page') },
      },
      handle: ({ params }) => show(`${params.section}/${params.subpage}`),
    }),
  ];
}

function fixedRoutes(show: (path: string) => Promise<Reply> | Reply): readonly Route[] {
  return [
    defineRoute({
      ...page,
      path: '/docs',
      operationId: 'showDocs',
      summary: 'Read the documentation (a page)',
      navigation: { name: 'Documentation', position: 40, about: 'How to call, operate and extend this installation' },
      handle: () => show('index'),
    }),
    defineRoute({
      ...page,
      path: '/docs/api',
      operationId: 'showApiReference',
      summary: 'Read the reference of the API (a page)',
      navigation: { name: 'API', position: 50, about: 'Every route, with examples to copy and a form to try it' },
      handle: () => show('reference/api'),
    }),
  ];
}
