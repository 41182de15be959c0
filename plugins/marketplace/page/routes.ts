import { defineRoute, exactly, type Catalog, type Route } from '../../../kernel/index.ts';
import { newestFirst, type Reputation, type CertificateRegister } from '../../ledger/contract.ts';
import type { Board } from '../listing/listing-index.ts';
import type { Entry } from '../listing/entry.ts';
import { nameOf } from '../listing/listing.ts';
import { viewOf } from './certificate.ts';
import { marketPage } from './market.ts';
import { missingPage, orbPage } from './orb.ts';

/** What the pages are made from. */
export interface PageScope {
  readonly board: Board;
  readonly reputation: Reputation;
  readonly certificateRegister: CertificateRegister;
  readonly platform: { readonly catalog: Catalog };
  readonly publicUrl: string;
}

const orbParameter = {
  type: 'string',
  maxLength: 200,
  description: 'A version, or a bare name for its newest active one',
} as const;
const text = { type: 'string', maxLength: 200, default: '' } as const;
const page = { method: 'GET', service: 'ledger', public: true, produces: 'text/html', problems: [] } as const;

/** Makes the public pages: the market, and one page per published version. */
export function pageRoutes(scope: PageScope): readonly Route[] {
  return [marketRoute(scope), orbRoute(scope)];
}

const marketRoute = ({ board, publicUrl }: PageScope): Route =>
  defineRoute({
    ...page,
    path: '/marketplace',
    operationId: 'showMarketPage',
    summary: 'Browse the marketplace (a page)',
    anyQuery: true,
    query: {
      type: 'object',
      properties: {
        q: { ...text, description: 'Words to look for' },
        tier: { ...text, description: 'Only this certification tier' },
        namespace: { ...text, description: 'Only this namespace' },
        category: { ...text, description: 'Only this category' },
        sort: { ...text, description: 'Order of the list' },
        offset: {
          type: 'integer',
          minimum: 0,
          maximum: 10_000,
          default: 0,
          description: 'Number of items left out before',
        },
      },
    },
    handle: ({ query }) => marketPage(board.now().names, query, publicUrl),
  });

const orbRoute = (scope: PageScope): Route =>
  defineRoute({
    ...page,
    path: '/marketplace/{orb_id}',
    operationId: 'showOrbPage',
    summary: 'Read what stands behind the score of a published version (a page)',
    also: [404, 410],
    anyQuery: true,
    params: exactly({ orb_id: orbParameter }),
    query: {
      type: 'object',
      properties: { verify: { type: 'string', maxLength: 1, description: '`1`: the certificate is verified now' } },
    },
    handle({ params, query: { verify } }) {
      const { board, reputation, certificateRegister: register, platform, publicUrl } = scope;
      const orb_id = reputation.versionOf(params.orb_id);
      const entry = board.find(orb_id);
      if (entry === undefined) return missingPage(orb_id);
      return orbPage({
        entry,
        manifest: platform.catalog.orbs.get(orb_id)?.manifest,
        versions: versionsOf(entry, board),
        events: reputation.tierEvents(orb_id),
        certificate: viewOf(register.newest(orb_id), verify === '1' ? register.verifyNewest(orb_id) : undefined),
        publicUrl,
      });
    },
  });

function versionsOf({ listing }: Entry, board: Board): readonly Entry[] {
  const name = nameOf(listing);
  return [...board.now().all.values()]
    .filter((entry) => nameOf(entry.listing) === name && entry.listing.status !== 'removed')
    .sort((one, other) => newestFirst(one.listing, other.listing));
}
