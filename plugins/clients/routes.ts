import {
  asksForJson,
  defineRoute,
  exactly,
  html,
  namesTag,
  PlatformError,
  reply,
  type Platform,
  type Route,
} from '../../kernel/index.ts';
import { once, type Pages } from '../pages/contract.ts';
import type { Package } from './packages.ts';
import { clientsPage } from './page.ts';
import { rowsOf } from './retry/rows.ts';

/** What the routes need. */
export interface ClientsScope {
  readonly packages: () => Promise<readonly Package[]>;
  readonly pages?: Pages;
  readonly platform: Platform;
  readonly publicUrl: string;
  readonly version: string;
}

const shared = { method: 'GET', service: 'shared', public: true } as const;
const fresh = { 'Cache-Control': 'no-cache' } as const;

/** Makes the routes of the client libraries: a page, a list with digests, an index for pip, the files, the retry table. */
export function clientsRoutes(scope: ClientsScope): readonly Route[] {
  const rows = once(async () => rowsOf(scope.platform.describe().problems));
  return [pageRoute(scope), retryRoute(rows), indexRoute(scope), fileRoute(scope)];
}

function pageRoute({ packages, pages, publicUrl, version }: ClientsScope): Route {
  const page = pages && once(async () => pages.page(clientsPage(await packages(), { publicUrl, version }, pages)));
  return defineRoute({
    ...shared,
    path: '/clients',
    operationId: 'listClients',
    finalSlash: true,
    anyQuery: true,
    summary: 'List the client libraries of this version (a page for browsers)',
    response: exactly('ClientPackages', {
      version: { type: 'string', description: 'Version of the server and of the clients' },
      packages: {
        type: 'array',
        description: 'The files, by name',
        items: exactly({
          name: { type: 'string', description: 'Name of the file' },
          url: { type: 'string', description: 'Where it is' },
          sha256: { type: 'string', description: '64 hex digits' },
          size: { type: 'integer', description: 'Bytes' },
        }),
      },
    }),
    forms: { 'text/html': { type: 'string', description: 'A page' } },
    async handle({ headers }) {
      if (page !== undefined && !asksForJson(headers.accept?.toString())) return page();
      const listed = (await packages()).map(({ bytes, ...about }) => ({ ...about, size: bytes.length }));
      return reply({ headers: fresh, body: { version, packages: listed } });
    },
  });
}

const retryRoute = (rows: () => Promise<ReturnType<typeof rowsOf>>): Route =>
  defineRoute({
    ...shared,
    path: '/clients/retry.json',
    operationId: 'getRetryTable',
    summary: 'Get the retry table: whether a client repeats a call after each problem',
    response: { type: 'object', title: 'RetryTable', additionalProperties: true, description: 'Rows by code' },
    handle: async () => reply({ headers: fresh, body: { problems: await rows() } }),
  });

// PEP 503: names are compared without the difference between hyphens, underscores and dots.
const indexRoute = ({ packages }: ClientsScope): Route =>
  defineRoute({
    ...shared,
    path: '/clients/simple/{project}',
    operationId: 'listClientWheels',
    finalSlash: true,
    summary: 'List the wheels of a client library, for pip',
    params: exactly({
      project: { type: 'string', maxLength: 64, description: 'Name of the project', examples: ['agent-orb'] },
    }),
    produces: 'text/html',
    problems: ['route_not_found'],
    async handle({ params: { project } }) {
      const wheels = (await packages()).filter(
        ({ name }) => name.endsWith('.whl') && projectOf(name.split('-')[0] ?? '') === projectOf(project),
      );
      if (wheels.length === 0) throw new PlatformError('route_not_found', `there is no project ${project}`);
      const links = wheels.map(({ name, sha256 }) => html`<a href="../../${name}#sha256=${sha256}">${name}</a><br />`);
      const body = html`<!doctype html><title>${project}</title>${links}`.toString();
      return reply({ type: 'text/html; charset=utf-8', headers: fresh, body });
    },
  });

const projectOf = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

const fileRoute = ({ packages }: ClientsScope): Route =>
  defineRoute({
    ...shared,
    path: '/clients/{file}',
    operationId: 'getClientPackage',
    conditional: true,
    summary: 'Get a client library: a tarball for npm, or a wheel for pip',
    params: exactly({
      file: { type: 'string', maxLength: 128, description: 'Name of the file', examples: ['agent-orb-0.2.0.tgz'] },
    }),
    produces: 'application/octet-stream',
    problems: ['route_not_found'],
    async handle({ headers, params: { file } }) {
      const found = (await packages()).find(({ name }) => name === file);
      if (found === undefined)
        throw new PlatformError('route_not_found', `there is no file ${file}; /clients lists all`);
      const tag = `"${found.sha256.slice(0, 32)}"`;
      const sent = { ...fresh, ETag: tag, 'Content-Disposition': 'attachment' };
      if (namesTag(headers['if-none-match'], tag)) return reply({ status: 304, headers: sent });
      return reply({ type: 'application/octet-stream', headers: sent, body: found.bytes });
    },
  });
