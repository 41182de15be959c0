import {
  asksForJson,
  defineRoute,
  PlatformError,
  reply,
  type BodyOf,
  type Reply,
  type Route,
} from '../../../kernel/index.ts';
import type { Pages } from '../contract.ts';
import { markSvg } from '../frame/frame.ts';
import { landingPage, llmsText, type Site } from './landing-page.ts';

const site = { method: 'GET', service: 'shared', public: true, anyQuery: true, problems: [] } as const;
const dayLong = { 'Cache-Control': 'public, max-age=86400' } as const;

/** Makes the routes that every site has: the start page, its pictures, and the files that robots and models read. */
export function siteRoutes(pages: Pages, installation: Site): readonly Route[] {
  const { logo } = installation.brand;
  const picture = {
    type: logo?.type ?? 'image/svg+xml',
    headers: { ...dayLong, ...inert, 'Access-Control-Allow-Origin': '*' },
    body: logo?.bytes ?? markSvg,
  };
  const start = landingPage(pages, installation);
  const forModels: BodyOf = (sections) => ({ body: llmsText(installation, sections) });
  return [
    defineRoute({
      ...site,
      path: '/',
      operationId: 'showStartPage',
      summary: 'Show the start page; 404 for a client that asks for JSON',
      produces: 'text/html',
      problems: ['route_not_found'],
      reads: [],
      handle({ headers }) {
        if (asksForJson(headers.accept?.toString()))
          throw new PlatformError('route_not_found', 'no route here; GET /openapi.json lists them');
        return start;
      },
    }),
    file('/favicon.ico', 'getFavicon', 'Get the favicon of this site', picture),
    file('/logo', 'getLogo', 'Get the logo of this site', picture),
    file('/robots.txt', 'getRobots', 'Get robots.txt', { ...text, body: robots }),
    file('/llms.txt', 'getLlmsText', 'Describe this installation to language models', { ...text, body: forModels }),
  ];
}

const text = { type: 'text/plain; charset=utf-8', headers: dayLong };
const robots = 'User-agent: *\nDisallow: /hooks/\nAllow: /\n';

// The file of the operator is only an image: a script inside it must not run, wherever it is opened.
const inert = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" } as const;

function file(path: string, operationId: string, summary: string, answer: Reply & { readonly type: string }): Route {
  const produces = answer.type.split(';')[0] ?? '';
  return defineRoute({ ...site, path, operationId, summary, produces, handle: () => reply(answer) });
}
