import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { canonical } from '../../../../kernel/index.ts';
import { each } from '../../../helpers/each.ts';
import { until } from '../../../helpers/until.ts';

/** What a receipt says of a call of a model. */
export interface RecordedCall {
  readonly run_id: string;
  readonly receipt_id: string;
  readonly status: string;
  readonly reason?: string;
  /** The model that the caller named; of a run that was never sent its id. */
  readonly asked: string;
  readonly facts: {
    readonly attempts: readonly {
      readonly provider: string;
      readonly outcome: string;
      readonly generation: number;
      readonly phase?: string;
    }[];
    readonly usage?: { readonly input_tokens?: number; readonly output_tokens?: number; readonly source: string };
    readonly cost?: { readonly amount_nanos: number };
    readonly outputs?: { readonly commitment: string };
    readonly provider?: { readonly name: string; readonly generation: number };
    readonly model?: { readonly asked: string; readonly sent?: string; readonly answered?: string };
  };
}

/** Reads a path of the API. */
export type Get = (path: string) => Promise<Readonly<Record<string, unknown>>>;

/** Makes what reads paths of a server; one that says 503, as a node under load may, is asked again. */
export const reading =
  (url: string, key: string): Get =>
  async (path) => {
    const ask = () => fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    const answer = await until(ask, ({ status }) => status !== 503, path);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  };

/** Reads the receipts of all runs, and fails unless each is valid, and each run has one. */
export async function recordsOf(get: Get): Promise<readonly RecordedCall[]> {
  const listed = (await pagesOf(get, 'receipts')).filter(({ kind }) => kind === 'run');
  const runs = await pagesOf(get, 'runs');
  const ids = (all: readonly Item[]): string[] => all.map(({ run_id }) => run_id).sort();
  expect(ids(listed), 'each run has one receipt').to.deep.equal(ids(runs));
  return each(listed, async ({ receipt_id, run_id, status }) => {
    const found = await get(`/receipts/${receipt_id}`);
    expect(found['signature_valid'], receipt_id).to.equal(true);
    const { predicate } = found['statement'] as { predicate: Omit<RecordedCall, 'asked'> };
    expect([predicate.run_id, predicate.status]).to.deep.equal([run_id, status]);
    const { facts, reason } = predicate;
    const recorded = { run_id, receipt_id, status, facts, asked: facts.model?.asked ?? run_id };
    return reason === undefined ? recorded : { ...recorded, reason };
  });
}

interface Item {
  readonly run_id: string;
  readonly receipt_id: string;
  readonly status: string;
  readonly kind?: string;
}

async function pagesOf(get: Get, what: 'receipts' | 'runs'): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const page = await get(`/${what}?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`);
    items.push(...(page[what] as readonly Item[]));
    cursor = page['next_cursor'] as string | undefined;
  }
  return items;
}

/** Finds the record of each model; fails when a model has two. */
export function byModel(records: readonly RecordedCall[]): ReadonlyMap<string, RecordedCall> {
  const found = new Map(records.map((record) => [record.asked, record]));
  expect(found.size, 'one receipt for each call').to.equal(records.length);
  return found;
}

/** Sums what the receipts say that calls cost. */
export function costOf(records: Iterable<RecordedCall>): number {
  return [...records].reduce((sum, { facts: { cost } }) => sum + (cost?.amount_nanos ?? 0), 0);
}

/** A budget as the API shows it. */
export interface ShownBudget {
  readonly limit: number;
  readonly spent: number;
  readonly assumed: number;
  readonly reserved: number;
}

/** Reads the only budget. */
export async function budgetOf(get: Get): Promise<ShownBudget> {
  const budgets = (await get('/budgets'))['budgets'] as readonly ShownBudget[];
  const [budget] = budgets;
  if (budget === undefined || budgets.length > 1) throw new Error(`there are ${budgets.length} budgets`);
  return budget;
}

/** Computes the commitment to a value from the salt that its caller got. */
export function commitmentOf(salt: string, value: object): string {
  const bytes = createHash('sha256').update(Buffer.from(salt, 'base64')).update(canonical(value));
  return `sha256:${bytes.digest('hex')}`;
}
