import { createHash } from 'node:crypto';
import { conditionOf, defineRoute, namesTag, reply, type BodyOf, type Route } from '../../../kernel/index.ts';
import { type Pages, bundledScript } from '../../pages/contract.ts';
import { verifyPage, type PageData } from './page.ts';

const pageScript = bundledScript(new URL('./app.ts', import.meta.url));
const libraryScript = bundledScript(new URL('./library.ts', import.meta.url));

/** Makes the routes of verification in the browser: without `pages`, only the verifier for pages of others. */
export function verifyRoutes(pages: Pages | undefined, data: () => PageData): readonly Route[] {
  return [libraryRoute(() => data().facts), ...(pages === undefined ? [] : [pageRoute(pages, data)])];
}

/** Makes the page as a saved file; undefined without `pages`. */
export async function savedPage(pages: Pages | undefined, data: () => PageData): Promise<string | undefined> {
  const body = pages?.page(verifyPage(await pageScript(), data(), false)).body;
  // Pages are made for a listener; a saved one leads to no other page.
  return typeof body === 'function' ? (body as BodyOf)([]).body.toString() : undefined;
}

// The page contains the keys of this installation.
const pageRoute = (pages: Pages, data: () => PageData): Route =>
  defineRoute({
    method: 'GET',
    path: '/verify',
    navigation: {
      name: 'Verify a receipt',
      position: 20,
      about: 'Verify a receipt in your browser; nothing is uploaded',
    },
    operationId: 'showVerifyPage',
    service: 'runtime',
    public: true,
    summary: 'A page that verifies a receipt in the browser; nothing is uploaded, and it can be saved',
    produces: 'text/html',
    anyQuery: true,
    query: {
      type: 'object',
      properties: {
        by: { type: 'string', maxLength: 10, description: '`id`: the page looks receipts up by their id' },
      },
    },
    handle: async ({ query }) => pages.page(verifyPage(await pageScript(), data(), query.by === 'id')),
  });

// The verifier alone, for other pages of this server; it knows the facts of this installation.
const libraryRoute = (facts: () => PageData['facts']): Route =>
  defineRoute({
    method: 'GET',
    path: '/verify/verifier.js',
    operationId: 'getVerifierScript',
    service: 'runtime',
    public: true,
    conditional: true,
    summary: 'Get the verifier as a script, for pages of this server',
    produces: 'text/javascript',
    handle: async ({ headers }) => {
      const body = `globalThis.orbFacts = ${JSON.stringify(facts())};\n${await libraryScript()}`;
      const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      const common = { ETag: tag, 'Cache-Control': 'no-cache', 'Cross-Origin-Resource-Policy': 'same-origin' };
      if (namesTag(conditionOf(headers).none, tag)) return reply({ status: 304, headers: common });
      return reply({ type: 'text/javascript; charset=utf-8', headers: common, body });
    },
  });
