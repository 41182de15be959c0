import { cursorAfter } from '../../kernel/surface.ts';
import { withStore } from './full-store.ts';
import { requestBody } from './payload.ts';

/** A request under a name; its path varies from one time to the next where it names a row. */
export interface Request {
  readonly name: string;
  readonly paths: readonly string[];
}

/** A run with its decision, as the store holds them. */
interface Sample {
  readonly run_id: string;
  readonly receipt_id: string;
  readonly decision_id: string;
  readonly at: string;
  readonly principal: string;
  readonly revision: string;
}

const samples = 50;
const echo = requestBody.orb_id;
const rare = 'http.fetch@1.0.0';
const future = '2100-01-01T00:00:00Z';

/** Makes the requests that a full store is asked: every list with each of its filters, and reads of single things. */
export function requestsOf(home: string): readonly Request[] {
  const runs = sampleRuns(home);
  const middle = runs[Math.floor(runs.length / 2)];
  if (middle === undefined) throw new Error(`the store of ${home} holds no runs`);
  const each = (name: string, path: (run: Sample) => string): Request => ({ name, paths: runs.map(path) });
  return [
    ...receiptLists(middle),
    ...runLists(middle),
    ...decisionLists(middle),
    ...listed('/deliveries', [`source_id=${sourceOf(home)}`, ...states, 'reason=other', ...periods(middle.at)]),
    ...listed('/incidents', [...incidentFilters, ...periods(middle.at)]),
    ...listed('/swaps', [`orb_id=${echo}`, `orb_id=${rare}`]),
    each('/receipts/{id}', (run) => `/receipts/${run.receipt_id}`),
    each('/receipts/{id}?format=sigstore', (run) => `/receipts/${run.receipt_id}?format=sigstore`),
    each('/receipts/{id}/proof', (run) => `/receipts/${run.receipt_id}/proof`),
    each('/runs/{id}', (run) => `/runs/${run.run_id}`),
    each('/policies/-/decisions/{id}', (run) => `/policies/-/decisions/${run.decision_id}`),
    ...['/metrics', '/marketplace/orbs'].map((path) => ({ name: path, paths: [path] })),
  ];
}

function receiptLists({ at, receipt_id }: Sample): readonly Request[] {
  const statuses = ['completed', 'failed', 'denied'].map((status) => `status=${status}`);
  const orbisets = ['default', 'rare', 'none'].map((id) => `orbiset=${id}`);
  const pairs = ['status=completed&orbiset=rare', `orb=${echo}&status=failed`];
  const more = [`cursor=${cursorAfter(receipt_id)}`, ...orbisets, `orb=${echo}`, `orb=${rare}`, ...statuses, ...pairs];
  return listed('/receipts', [...more, ...periods(at)]);
}

function runLists({ run_id }: Sample): readonly Request[] {
  const statuses = ['completed', 'failed', 'timed_out', 'indeterminate', 'cancelled', 'denied'];
  const filters = [...statuses.map((status) => `status=${status}`), `orb_id=${echo}`, `orb_id=${rare}`];
  return listed('/runs', [`cursor=${cursorAfter(run_id)}`, ...filters, `orb_id=${echo}&status=failed`]);
}

function decisionLists({ at, decision_id, principal, revision }: Sample): readonly Request[] {
  const actions = ['execute', 'swap', 'publish'].map((action) => `action=${action}`);
  const subjects = [`orb_id=${echo}`, `orb_id=${rare}`, `principal=${principal}`, 'principal=other'];
  const revisions = [`revision=${revision}`, 'revision=other'];
  const all = [
    `cursor=${cursorAfter(decision_id)}`,
    ...actions,
    'allow=true',
    'allow=false',
    ...subjects,
    ...revisions,
  ];
  return listed('/policies/-/decisions', [...all, ...periods(at)]);
}

const states = ['queued', 'done', 'ignored', 'dead'].map((state) => `state=${state}`);

const incidentFilters = [
  ...['open', 'resolved', 'unresolved'].map((state) => `state=${state}`),
  ...[
    'severity=critical',
    'severity=info',
    'kind=alerts',
    'kind=operator',
    'kind=measured',
    'retracted=true',
    'retracted=false',
  ],
  ...['component=observable_engine', 'component=other', 'provider=other', `orb_id=${echo}`],
];

// The older half, and two periods in which nothing lies.
function periods(middle: string): readonly string[] {
  return [`to=${middle}`, `from=${future}`, 'to=2000-01-01T00:00:00Z'];
}

function listed(path: string, filters: readonly string[]): readonly Request[] {
  const all = ['', '?limit=100', ...filters.map((filter) => `?${filter}`)];
  return all.map((query) => ({ name: `${path}${named(query)}`, paths: [`${path}${query}`] }));
}

// What differs from one store to another is left out of the name.
function named(query: string): string {
  return query
    .replace(/=((prn|src)_\w+|sha256:\w+)/, '=its')
    .replace(/(cursor|to)=(?!2000).*/, '$1=middle')
    .replace(/T00:00:00Z/, '');
}

function sampleRuns(home: string): readonly Sample[] {
  return withStore(home, (driver) => {
    const last = Number(driver.prepare('SELECT max(rowid) FROM policy_decisions').pluck().get());
    const next = driver.prepare<[number], Sample>(
      `SELECT decision_id, run_id, receipt_id, at, principal, revision FROM policy_decisions
       WHERE rowid >= ? AND run_id IS NOT NULL AND receipt_id IS NOT NULL ORDER BY rowid LIMIT 1`,
    );
    const rows = Array.from({ length: samples }, (_, index) => next.get(Math.ceil((last * index) / samples)));
    return rows.filter((row) => row !== undefined);
  });
}

function sourceOf(home: string): string {
  return withStore(home, (driver) => {
    const id = driver.prepare<[], string>('SELECT source_id FROM ingestion_sources LIMIT 1').pluck().get();
    return id ?? 'src_none';
  });
}
