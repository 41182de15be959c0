import { defineRoute, type Reply, type Route } from '../../kernel/index.ts';
import type { Library } from './library.ts';
import type { Search } from './search.ts';
import { documentPage, missingPage, searchPage, type Frame } from './view.ts';

/** Dependencies of the routes. */
export interface DocsScope extends Omit<Frame, 'groups'> {
  readonly library: Library;
  readonly search: Search;
}

const mostSearches = 200;

/** Keeps the values that were used last, by name. */
function createKept<T>(most: number) {
  const values = new Map<string, T>();
  const add = (name: string, value: T): T => {
    values.delete(name);
    values.set(name, value);
    const [oldest] = values.keys();
    if (values.size > most && oldest !== undefined) values.delete(oldest);
    return value;
  };
  const get = (name: string): T | undefined => {
    const value = values.get(name);
    return value === undefined ? undefined : add(name, value);
  };
  return { get, add };
}

const segment = (description: string) => ({ type: 'string', maxLength: 200, description }) as const;
const page = { method: 'GET', service: 'shared', public: true, anyQuery: true, produces: 'text/html' } as const;

/** Makes the routes of the documentation. */
export function docsRoutes(scope: DocsScope): readonly Route[] {
  const frame = (): Frame => ({ ...scope, groups: scope.library.groups() });
  const show = createShow(scope.library, frame);
  return [
    defineRoute({
      ...page,
      path: '/docs',
      operationId: 'showDocs',
      summary: 'Read the documentation (a page)',
      navigation: { name: 'Documentation', position: 40, about: 'Call, operate and extend this server' },
      handle: () => show('index'),
    }),
    defineRoute({
      ...page,
      path: '/docs/api',
      operationId: 'showApiReference',
      summary: 'Read the reference of the API (a page)',
      navigation: { name: 'API', position: 50, about: 'Every route, with examples and a form to try it' },
      handle: () => show('reference/api'),
    }),
    searchRoute(scope, frame),
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

function searchRoute({ search }: DocsScope, frame: () => Frame): Route {
  const answers = createKept<Reply>(mostSearches);
  return defineRoute({
    ...page,
    path: '/docs/search',
    operationId: 'searchDocs',
    summary: 'Search the documentation (a page)',
    query: { type: 'object', properties: { q: { ...segment('Words to look for'), default: '' } } },
    // Each other text makes a page of its own.
    bucket: { name: 'search', per_second: 5 },
    handle: async ({ query: { q } }) => answers.get(q) ?? answers.add(q, searchPage(frame(), q, await search(q))),
  });
}

/** Makes what shows a page, and keeps it until its text changes. */
function createShow(library: Library, frame: () => Frame): (path: string) => Promise<Reply> | Reply {
  // Each page as it was made from its text.
  const kept = new Map<string, { readonly source: string; readonly page: Promise<Reply> }>();
  return (path) => {
    const found = library.find(path);
    if (found === undefined) return missingPage(frame(), path);
    const source = found.source();
    const known = kept.get(path);
    if (known?.source === source) return known.page;
    const page = documentPage(frame(), found);
    kept.set(path, { source, page });
    page.catch(() => kept.delete(path));
    return page;
  };
}
