import { defineRoute, exactly, type Route } from '../../../kernel/index.ts';
import { newestFirst } from '../../ledger/contract.ts';
import type { Pages } from '../../pages/contract.ts';
import type { MarketScope } from '../scope.ts';
import type { Entry } from '../listing.ts';
import { nameOf } from '../listing.ts';
import type { Meanings } from './inputs.ts';
import { marketPage, marketQuery } from './market.ts';
import type { OrbManifest } from '../../runtime/contract.ts';

const orbParameter = {
  type: 'string',
  maxLength: 200,
  description: 'Id with version, or a name for its newest active version',
} as const;
const page = { method: 'GET', service: 'ledger', public: true, produces: 'text/html', problems: [] } as const;

/** Makes the public pages: the market, and one page per published version. */
export function pageRoutes(scope: MarketScope): readonly Route[] {
  const { pages } = scope;
  return pages === undefined ? [] : [marketRoute(pages, scope), orbRoute(pages, scope)];
}

const marketRoute = (pages: Pages, { listings, publicUrl }: MarketScope): Route =>
  defineRoute({
    ...page,
    path: '/marketplace',
    navigation: { name: 'Marketplace', position: 10, about: 'Published Orbs with their scores and the evidence' },
    operationId: 'showMarketPage',
    summary: 'Browse the marketplace (a page)',
    anyQuery: true,
    query: marketQuery,
    handle: async ({ query }) => pages.page(marketPage((await listings.now()).names, query, publicUrl)),
  });

const orbRoute = (pages: Pages, scope: MarketScope): Route => {
  const tools = offersTools(scope);
  return defineRoute({
    ...page,
    path: '/marketplace/{orb_id}',
    operationId: 'showOrbPage',
    summary: 'Read the evidence for the score of a published version (a page)',
    also: [404, 410],
    anyQuery: true,
    params: exactly({ orb_id: orbParameter }),
    query: {
      type: 'object',
      properties: { verify: { type: 'string', maxLength: 1, description: '`1`: the certificate is verified now' } },
    },
    async handle({ params, query: { verify } }) {
      const { listings, reputation, certificateRegister: register, runtime, publicUrl } = scope;
      const orb_id = reputation.versionOf(params.orb_id);
      const entry = await listings.find(orb_id);
      const { missingPage, orbPage } = await import('./orb.ts');
      if (entry === undefined) return pages.page(missingPage(orb_id));
      const manifest = runtime.catalog.orbs.get(orb_id)?.manifest;
      const report = verify === '1' ? await register.verifyNewest(orb_id) : undefined;
      const page = await orbPage(pages, {
        entry,
        manifest,
        versions: versionsOf(entry, (await listings.now()).all),
        events: await reputation.tierEvents(orb_id),
        certificate: { certificate: await register.newest(orb_id), checks: report?.checks },
        access: { publicUrl, tools: tools(), meanings: meaningsOf(scope, manifest) },
      });
      return pages.page(page);
    },
  });
};

/** Says whether agents can call Orbs as tools; asked at the first page, when all routes are known. */
function offersTools({ platform }: MarketScope): () => boolean {
  let offers: boolean | undefined;
  return () => {
    return (offers ??= platform.describe().routes.some(({ path }) => path === '/orbisets/{id}/mcp'));
  };
}

function meaningsOf({ runtime }: MarketScope, manifest: OrbManifest | undefined): Meanings {
  return manifest === undefined ? {} : runtime.inputsOf(manifest.capability);
}

function versionsOf({ listing }: Entry, all: ReadonlyMap<string, Entry>): readonly Entry[] {
  const name = nameOf(listing);
  return [...all.values()]
    .filter((entry) => nameOf(entry.listing) === name && entry.listing.status !== 'removed')
    .sort((one, other) => newestFirst(one.listing, other.listing));
}
