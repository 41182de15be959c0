import {
  defineRoute,
  exactly,
  namesTag,
  optional,
  PlatformError,
  reply,
  type RequestInfo,
  type Route,
} from '../../../kernel/index.ts';
import type { CertificateRegister } from '../certificate/format/report.ts';
import { openHeaders, type Caller, type MaySee } from '../certificate/routes/access.ts';
import type { Reputation } from '../contract.ts';
import { badgeOf, metrics, notFound, type Badge, type Metric } from './badge.ts';
import { createDrawing, etagOf, styles, type Draw, type Style } from './svg.ts';

// Longest label, in characters.
const longestLabel = 40;

/** What badges are made from. */
interface BadgeDeps {
  readonly reputation: Pick<Reputation, 'get' | 'versionOf'>;
  readonly certificates: Pick<CertificateRegister, 'newest'>;
  readonly maySee: MaySee;
  /** How long a badge may be kept, seconds; 0: not at all. */
  readonly maxAge: number;
}

const svgType = 'image/svg+xml; charset=utf-8';

// A path that is no Orb id gets a picture too: a web page cannot show a problem document.
const params = exactly({
  orb_id: {
    type: 'string',
    maxLength: 200,
    description: 'Id of an Orb, e.g. `notify.email@1.0.0`; without a version, the newest active one',
  },
});

const open = {
  method: 'GET',
  service: 'ledger',
  public: true,
  optionalKey: true,
  conditional: true,
  params,
  bucket: { name: 'badge', per_second: 100 },
} as const;

const shown = {
  label: { type: 'string', maxLength: longestLabel, description: 'Text of the left side' },
  metric: { type: 'string', enum: metrics, default: 'both', description: 'What the badge shows' },
  style: { type: 'string', enum: styles, default: 'flat', description: 'Style of the picture' },
} as const;

/** Makes the routes of badges: the picture, and the JSON from which shields.io draws one. */
export function badgeRoutes(deps: BadgeDeps): readonly Route[] {
  return [pictureRoute(deps), shieldsRoute(deps)];
}

const pictureRoute = (deps: BadgeDeps): Route => {
  let drawing: Promise<Draw> | undefined;
  return defineRoute({
    ...open,
    path: '/reputation/{orb_id}/badge',
    operationId: 'getBadge',
    summary: 'Get the badge of an Orb (SVG); an unknown Orb also gets a picture, with 404',
    query: { type: 'object', additionalProperties: false, properties: shown },
    produces: 'image/svg+xml',
    answers: { 404: { description: 'There is no published Orb of this name', type: 'image/svg+xml' } },
    async handle(call) {
      const badge = await look(deps, call);
      const draw = await (drawing ??= createDrawing());
      const { svg, etag } = draw(badge ?? notFound(cleanLabel(call.query.label)), call.query.style ?? 'flat');
      const headers = { ...headersOf(deps, call), ETag: etag, 'Content-Security-Policy': policy };
      if (badge === undefined) return reply({ status: 404, type: svgType, body: svg, headers });
      if (namesTag(call.headers['if-none-match'], etag)) return reply({ status: 304, headers });
      return reply({ type: svgType, body: svg, headers });
    },
  });
};

const shieldsRoute = (deps: BadgeDeps): Route =>
  defineRoute({
    ...open,
    path: '/reputation/{orb_id}/badge.json',
    operationId: 'getShieldsBadge',
    summary: 'Read the badge of an Orb in the format of shields.io (endpoint badge)',
    query: exactly({
      label: optional({ ...shown.label, description: 'Text of the left side' }),
      metric: optional({ ...shown.metric, description: 'What the badge shows' }),
    }),
    // Only these members: shields.io refuses unknown keys.
    response: exactly('ShieldsBadge', {
      schemaVersion: { const: 1, description: 'Version of the form' },
      label: { type: 'string', description: 'Text of the left side' },
      message: { type: 'string', description: 'Text of the right side' },
      color: { type: 'string', description: 'Color of the right side' },
      isError: { type: 'boolean', description: 'Whether the badge shows an error' },
      cacheSeconds: { type: 'integer', minimum: 300, description: 'How long it may be cached' },
    }),
    problems: ['orb_not_found'],
    async handle(call) {
      const badge = await look(deps, call);
      if (badge === undefined) throw new PlatformError('orb_not_found', 'there is no published Orb with this name');
      const { label, message, color, alarming } = badge;
      const cacheSeconds = Math.max(300, deps.maxAge);
      const body = { schemaVersion: 1, label, message, color, isError: alarming, cacheSeconds };
      const etag = etagOf(JSON.stringify(body));
      const headers = { ...headersOf(deps, call), ETag: etag };
      return namesTag(call.headers['if-none-match'], etag) ? reply({ status: 304, headers }) : reply({ body, headers });
    },
  });

interface BadgeCall extends Caller {
  readonly params: { readonly orb_id: string };
  readonly query: { readonly label?: string; readonly metric?: Metric; readonly style?: Style };
  readonly headers: RequestInfo['headers'];
}

/** Makes the badge of an Orb; undefined when the Orb does not exist or the caller may not see it. */
async function look({ certificates, maySee, reputation }: BadgeDeps, call: BadgeCall): Promise<Badge | undefined> {
  const { params, query } = call;
  const orbId = reputation.versionOf(params.orb_id);
  if (!maySee(orbId, call)) return undefined;
  const certificate = (await certificates.newest(orbId))?.status;
  return badgeOf({
    reputation: reputation.get(orbId),
    certificate,
    metric: query.metric ?? 'both',
    label: cleanLabel(query.label),
  });
}

// A picture opened directly in the browser is a document; this policy forbids it everything but styles.
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

function headersOf({ maxAge }: BadgeDeps, caller: Caller): Readonly<Record<string, string>> {
  const headers = openHeaders(maxAge, caller);
  const cache = headers['Cache-Control'] ?? '';
  return {
    ...headers,
    'Cache-Control': cache === 'no-store' ? cache : `${cache}, stale-if-error=86400`,
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
}

const usual = 'orb';

/**
 * Cleans a label from the request: removes invisible characters and those that change the text direction.
 * Answers `orb` when nothing is left.
 */
export function cleanLabel(label: string | undefined): string {
  // \p{C}: controls, formats (all bidi marks), surrogates, private and unassigned; \p{Z}: spaces of any kind.
  const clean = (label ?? '')
    .replace(/\p{C}/gu, '')
    .replace(/\p{Z}+/gu, ' ')
    .trim();
  return clean === '' ? usual : clean;
}
