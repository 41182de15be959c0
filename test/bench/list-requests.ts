import { cursorAfter } from '../../kernel/surface.ts';
import { requestBody } from './payload.ts';

/** A run as a list has it. */
interface Listed {
  readonly run_id: string;
  readonly receipt_id: string;
  readonly principal: string;
  readonly key_id: string;
  readonly started_at: string;
}

type Read = (path: string) => Promise<{ readonly runs: readonly [Listed] }>;

const echo = requestBody.orb_id;
const rare = 'http.fetch@1.0.0';
const future = '2100-01-01T00:00:00Z';

/** Makes the paths of the lists that the console shows, with each of their filters, and of its search. */
export async function listRequests(read: Read): Promise<readonly string[]> {
  const { runs } = await read('/runs?limit=1');
  const [{ receipt_id, run_id, started_at: newest, principal, key_id }] = runs;
  const { runs: oldest } = await read(`/runs?limit=1&orb_id=${rare}`);
  const [{ started_at: first }] = oldest;
  const middle = new Date((Date.parse(first) + Date.parse(newest)) / 2).toISOString();
  const times = [`from=${middle}`, `to=${middle}`, `from=${first}&to=${middle}`, `from=${future}`];
  const who = [`principal=${principal}`, 'principal=prn_none', `key_id=${key_id}`, 'key_id=key_none'];
  return [
    ...listed('/runs', [...runFilters, ...who, ...times, `cursor=${cursorAfter(run_id)}`, ...pairs(middle)]),
    ...listed('/receipts', [...receiptFilters, ...times, `cursor=${cursorAfter(receipt_id)}`]),
    ...listed('/receipts/changes', ['kind=swap', 'kind=key', `principal=${principal}`, 'principal=prn_none', ...times]),
    ...['/orbs', '/orbisets', '/providers', '/policies', '/keys', '/approvals', '/swaps', '/overview'],
    ...listed('/incidents', ['state=unresolved', 'state=resolved', 'severity=critical']),
    ...listed('/deliveries', ['state=dead', 'state=done']),
    ...listed('/policies/-/decisions', [...decisionFilters, `principal=${principal}`, ...times]),
    ...['/swaps?provider=second', '/swaps?provider=none', '/providers/second/health', '/providers/-/configured'],
    ...[
      '/config',
      '/marketplace/orbs',
      `/reputation/${echo}`,
      '/orbisets/default/schedules',
      '/orbisets/default/subscriptions',
    ],
    ...['/providers?provider=second', `/providers/${echo}/status`, '/usage', '/usage?by=day', '/budgets'],
    ...statistics,
    ...['echo', 'e', 'default', 'nothing such'].map((q) => `/search?q=${encodeURIComponent(q)}`),
    ...['', `orb_id=${echo}&status=failed`, 'provider=second', 'orbiset_id=none', `from=${middle}`].map(
      (filter) => `/runs/counts${filter && `?${filter}`}`,
    ),
    // Ids are looked up one by one.
    ...[`/runs/${run_id}`, `/receipts/${receipt_id}`],
  ];
}

const statuses = ['completed', 'failed', 'timed_out', 'indeterminate', 'cancelled', 'denied', 'queued'];

const runFilters = [
  ...[...statuses, 'failed,timed_out,indeterminate'].map((status) => `status=${status}`),
  ...[echo, rare, 'http.*', 'demo.echo', 'none.such@1.0.0'].map((orb) => `orb_id=${orb}`),
  ...['default', 'rare', 'none'].map((orbiset) => `orbiset_id=${orbiset}`),
  ...['echo', 'second', 'http', 'none'].map((provider) => `provider=${provider}`),
  ...['not_sent', 'none'].map((reason) => `reason=${reason}`),
];

const pairs = (middle: string): readonly string[] => [
  `orb_id=${echo}&status=failed`,
  `orb_id=${rare}&status=completed`,
  `status=completed&provider=second&from=${middle}`,
];

const receiptFilters = [
  ...['completed', 'failed', 'denied'].map((status) => `status=${status}`),
  ...[echo, rare, 'none.such@1.0.0'].map((orb) => `orb=${orb}`),
  ...['default', 'rare', 'none'].map((orbiset) => `orbiset=${orbiset}`),
];

const decisionFilters = [
  ...['true', 'false'].map((allow) => `allow=${allow}`),
  ...['execute', 'swap', 'publish'].map((action) => `action=${action}`),
  ...[echo, rare, 'none.such@1.0.0'].map((orb) => `orb_id=${orb}`),
  ...['principal=prn_none', 'revision=none'],
];

const statistics = ['minute', 'quarter_hour', 'hour', 'day'].flatMap((step) =>
  ['', 'orb_id', 'provider', 'status', 'principal', 'key_id'].map((by) => `/stats?step=${step}${by && `&by=${by}`}`),
);

function listed(path: string, filters: readonly string[]): readonly string[] {
  return [path, `${path}?limit=100`, ...filters.map((filter) => `${path}?${filter}`)];
}
