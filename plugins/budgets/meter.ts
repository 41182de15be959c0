import { given, operation, timestamp, type Clock, type Operation, type Principal } from '../../kernel/index.ts';
import { hasAudio } from './ask.ts';
import type { MostUse } from './contract.ts';
import { demandOf, mostUseOf, type Candidate, type Pricing } from './demand.ts';
import type { ModelPrice } from '../runtime/contract.ts';
import { candidatesFor, type CallProvider } from './models.ts';
import { costOf, type Usage } from './prices/cost.ts';
import { priceFor, type Prices } from './prices/file.ts';
import type { Budget } from './settings.ts';
import budgetsStore, { type BudgetReads } from './store.ts';
import type { UsageRow } from './tables/usage.ts';
import type { Part, Settling } from './tables/windows.ts';
import { rowOfId, rowsOf, type Row, type Subjects } from './windows.ts';

/** A metered run, as far as the meter looks at it. */
export interface MeteredCall {
  readonly run_id: string;
  readonly orb_id: string;
  readonly orbiset_id: string;
  readonly principal: Pick<Principal, 'id' | 'key_id' | 'tenant'>;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly mode: 'live' | 'sandbox';
  /** Those that may be asked, in order. */
  readonly providers: readonly CallProvider[];
}

/** How a metered run ended. */
export interface Ended {
  /** The provider that answered, or was asked last. */
  readonly provider?: string | undefined;
  readonly outputs?: Readonly<Record<string, unknown>> | undefined;
  /** The last counts of an answer that broke off. */
  readonly partial?: Readonly<Record<string, unknown>> | undefined;
  /** Whether its vendor bills it. */
  readonly billed: 'yes' | 'no' | 'unknown';
}

/** What a receipt says of usage and cost. */
export interface MeterFacts {
  readonly usage?: Usage;
  readonly cost?: { readonly amount_nanos: number; readonly currency: 'USD' };
  readonly prices_digest?: string;
  /** Names of the model: in the call, at the provider, and in its answer. */
  readonly model?: { readonly asked: string; readonly sent?: string; readonly answered?: string };
}

/** What the meter works with. */
export interface MeterOptions extends Pricing {
  readonly budgets: readonly Budget[];
  readonly reads: Pick<BudgetReads, 'reservation'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Reserves what metered runs may use, and settles what they used. */
export class Meter {
  readonly #options: MeterOptions;
  /** Runs under way that have reserved nothing: what is not among them is looked for in the store. */
  readonly #free = new Set<string>();

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  /**
   * Makes the writes that reserve the most that a run may use, for the commit of its intent. Throws 422 `call_unbounded`
   * and `model_unpriced`; the write itself fails with 429 when a budget has no room.
   */
  reserve(run: MeteredCall): readonly Operation[] {
    const at = this.#options.clock.now();
    const rows = this.rowsOf(run, at);
    if (rows.length === 0) {
      this.#noteFree(run);
      return [];
    }
    const candidates = candidatesOf(run);
    const asks = demandOf(rows, { inputs: run.inputs, candidates, day: dayOf(at) }, this.#options).map(
      (ask, index) => ({ ask, row: rows[index] }),
    );
    const { tenant } = run.principal;
    return [
      operation(budgetsStore, 'reserve', {
        ...{ run_id: run.run_id, at },
        // What belongs to no tenant is shown to those alone who see all of them.
        asks: asks.flatMap(({ ask, row }) =>
          row === undefined ? [] : [{ ...row, ask, tenant: installationWide.has(row.scope) ? '' : tenant }],
        ),
      }),
    ];
  }

  /** Lists the budgets that apply to a run at a time. */
  rowsOf(run: MeteredCall, at: number): readonly Row[] {
    const { budgets } = this.#options;
    if (run.mode === 'sandbox' || budgets.length === 0) return [];
    const candidates = candidatesOf(run);
    // Without a candidate nothing will be sent.
    return candidates.length === 0 ? [] : rowsOf(budgets, subjectsOf(run, candidates), at);
  }

  /** Computes the most that a call can use, whichever of its candidates serves it; undefined: nothing bounds it. */
  mostUseOf({ inputs, providers }: Pick<MeteredCall, 'inputs' | 'providers'>): MostUse | undefined {
    const candidates = candidatesFor(aliasOf({ inputs }), providers);
    return mostUseOf({ inputs, candidates, day: dayOf(this.#options.clock.now()) }, this.#options);
  }

  /** Makes the writes that settle a run, for the commit of its receipt, and what the receipt says of it. */
  async settle(run: MeteredCall, ended: Ended): Promise<{ operations: readonly Operation[]; facts: MeterFacts }> {
    const usage = usageOf(ended);
    const counted = countedOf(run, usage);
    // After a crash the configuration of a provider is not known, and so neither what it calls the model.
    const known = { ...run, providers: run.providers.filter(({ config }) => config !== undefined) };
    const candidate = candidatesOf(known).find(({ provider }) => provider === ended.provider);
    // A changed file may come into force before the reads below are done.
    const { prices } = this.#options;
    const cost = this.#costOf(run, ended, { usage: counted, candidate, prices });
    const isFree = run.mode === 'sandbox' || this.#free.delete(run.run_id);
    const parts = isFree ? [] : await this.#options.reads.reservation(run.run_id);
    const settled = parts.map((part) => settlingOf(part, ended, { usage: counted, cost }));
    const used = this.#usageOf(run, ended, { usage, cost });
    return {
      operations: [
        ...(parts.length === 0 ? [] : [operation(budgetsStore, 'settle', { run_id: run.run_id, parts: settled })]),
        ...(used === undefined ? [] : [operation(budgetsStore, 'use', used)]),
      ],
      facts: given({
        usage,
        cost: cost === undefined ? undefined : { amount_nanos: cost, currency: 'USD' as const },
        prices_digest: cost === undefined ? undefined : prices?.digest,
        model: namesOf(run, ended, candidate?.model),
      }),
    };
  }

  /** Finds the prices that hold today for an alias at a provider; undefined: there are none. */
  priceOf(alias: string, provider: CallProvider): ModelPrice | undefined {
    const { clock, prices } = this.#options;
    const [candidate] = candidatesFor(alias, [provider]);
    const entry = prices && candidate && priceFor(prices, candidate, dayOf(clock.now()));
    if (entry === undefined) return undefined;
    const { currency, per_mtok, tiers = [], valid_from } = entry;
    return { currency, per_mtok, valid_from, tiered: tiers.length > 0 };
  }

  // A run whose intent the store refused is never settled: it must not be remembered for ever.
  #noteFree({ mode, run_id }: MeteredCall): void {
    if (mode === 'sandbox') return;
    if (this.#free.size >= mostFree) this.#free.clear();
    this.#free.add(run_id);
  }

  #costOf(run: MeteredCall, { billed, outputs = {} }: Ended, { candidate, prices, usage }: Priced): number | undefined {
    const { clock } = this.#options;
    // Tokens of audio have prices of their own, which the price file does not express.
    const countable = billed === 'yes' && run.mode === 'live' && !hasAudio(run.inputs);
    if (!countable || usage === undefined || candidate === undefined || prices === undefined) return undefined;
    const entry = priceFor(prices, candidate, dayOf(clock.now()));
    const tier = outputs['service_tier'];
    const cost = entry && costOf(entry, usage, typeof tier === 'string' ? tier : undefined);
    return cost === undefined || cost > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(cost);
  }

  // What was not billed was no use.
  #usageOf(run: MeteredCall, { billed, provider }: Ended, { cost, usage }: Known): UsageRow | undefined {
    if (run.mode === 'sandbox' || billed === 'no') return undefined;
    const { id, key_id, tenant } = run.principal;
    const written = Object.values(usage?.cache_write_tokens ?? {}).reduce((sum, count) => sum + count, 0);
    return {
      ...{ day: dayOf(this.#options.clock.now()), tenant, orbiset_id: run.orbiset_id, orb_id: run.orb_id },
      ...{ principal: id, key_id, provider: provider ?? '-', model: aliasOf(run), calls: 1 },
      unknown_calls: usage?.source === 'vendor' ? 0 : 1,
      unpriced_calls: cost === undefined ? 1 : 0,
      ...{ input_tokens: usage?.input_tokens ?? 0, cache_read_tokens: usage?.cache_read_tokens ?? 0 },
      ...{ cache_write_tokens: written, output_tokens: usage?.output_tokens ?? 0 },
      ...{ reasoning_tokens: usage?.reasoning_tokens ?? 0, cost_nanos: cost ?? 0 },
    };
  }
}

interface Priced {
  readonly candidate: Candidate | undefined;
  readonly prices: Prices | undefined;
  readonly usage: Usage | undefined;
}

interface Known {
  readonly usage: Usage | undefined;
  readonly cost: number | undefined;
}

const mostFree = 100_000;
const installationWide: ReadonlySet<string> = new Set(['provider', 'model']);
const dayOf = (at: number): string => timestamp(at).slice(0, 10);
const candidatesOf = (run: MeteredCall): readonly Candidate[] => candidatesFor(aliasOf(run), run.providers);
const aliasOf = ({ inputs: { model } }: Pick<MeteredCall, 'inputs'>): string =>
  typeof model === 'string' ? model : '-';

// A receipt may be public, and a vendor may answer any text.
const namePattern = /^[!-~]{1,256}$/;

function namesOf(run: MeteredCall, { outputs = {}, provider }: Ended, sent: string | undefined): MeterFacts['model'] {
  const asked = aliasOf(run);
  if (provider === undefined) return { asked };
  const answered = outputs['model'];
  const isName = typeof answered === 'string' && namePattern.test(answered);
  return { asked, ...given({ sent, answered: isName ? answered : undefined }) };
}

// The schema of the Orb has checked the outputs; those of another capability may have more members, or none of these.
function usageOf({ outputs, partial }: Ended): Usage | undefined {
  const told = (outputs === undefined ? partial : outputs['usage']) as Usage | undefined;
  if (typeof told !== 'object') return undefined;
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens } = told;
  return {
    ...given({ input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens }),
    source: outputs === undefined ? 'partial' : told.source,
  };
}

// Vectors are no tokens, so vendors tell no output of an embedding.
function countedOf({ inputs }: MeteredCall, usage: Usage | undefined): Usage | undefined {
  return usage === undefined || !('input' in inputs) ? usage : { output_tokens: 0, ...usage };
}

function subjectsOf(run: MeteredCall, candidates: readonly Candidate[]): Subjects {
  const { id, key_id, tenant } = run.principal;
  return {
    ...{ tenant: [tenant], principal: [id], key: [key_id], orbiset: [run.orbiset_id], model: [aliasOf(run)] },
    provider: candidates.map(({ provider }) => provider),
  };
}

// What a provider may bill that is unknown is assumed: all that was reserved.
function settlingOf([id, ask]: Part, { billed, provider }: Ended, { cost, usage }: Known): Settling {
  const { scope, subject, unit } = rowOfId(id);
  const { input_tokens: input, output_tokens: output, source } = usage ?? {};
  const isOther = scope === 'provider' && subject !== provider;
  if (billed === 'no' || (billed === 'yes' && isOther)) return { id, reserved: ask, spent: 0, assumed: 0 };
  const tokens = source === 'vendor' && input !== undefined && output !== undefined ? input + output : undefined;
  const spent = billed === 'yes' ? (unit === 'tokens' ? tokens : cost) : undefined;
  return { id, reserved: ask, spent: spent ?? 0, assumed: spent === undefined ? ask : 0 };
}
