import {
  defineRoute,
  given,
  holds,
  nextOf,
  pageOf,
  pageQuery,
  PlatformError,
  timestamp,
  type Awaitable,
  type AwaitedReads,
  type Clock,
  type Principal,
  type Route,
} from '../../kernel/index.ts';
import { budgetPage, usagePage } from './schema.ts';
import { budgetScopes } from './settings.ts';
import type { BudgetReads } from './store.ts';
import { mostUsageRows, usageNames, type UsageName, type UsageSum } from './tables/usage.ts';
import type { WindowRow } from './tables/windows.ts';
import { firstRowAfter } from './windows.ts';

/** What the routes of budgets use. */
export interface RouteScope {
  readonly lists: Pick<AwaitedReads<BudgetReads>, 'usage' | 'windows'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Finds the name of a key. */
  readonly nameOf: (keyId: string) => Awaitable<string | undefined>;
}

const reading = { service: 'runtime', scope: 'usage:read', method: 'GET' } as const;
const text = (maxLength: number, description: string) => ({ type: 'string', maxLength, description }) as const;

/** Makes the routes of budgets and usage. */
export function budgetRoutes(scope: RouteScope): readonly Route[] {
  return [budgetsRoute(scope), usageRoute(scope)];
}

// A caller sees its tenant; one with all scopes sees every tenant.
const tenantOf = ({ scopes, tenant }: Principal): string | undefined => (holds(scopes, '*') ? undefined : tenant);

const budgetsRoute = ({ clock, lists, nameOf }: RouteScope): Route =>
  defineRoute({
    ...reading,
    path: '/budgets',
    operationId: 'listBudgets',
    summary: 'List the budgets with what is spent, assumed and reserved in their present windows',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...pageQuery,
        scope: { type: 'string', enum: budgetScopes, description: 'Only those of a scope' },
        subject: text(128, 'Only those of this id or name'),
      },
    },
    response: budgetPage,
    async handle({ query: { limit, cursor, scope, subject }, principal }) {
      const before = afterCursor(cursor, /^\d{13} [\x20-\x7e]+$/);
      const from = firstRowAfter(clock.now());
      const page = await lists.windows({ tenant: tenantOf(principal), scope, subject, from, before, limit });
      return { budgets: await Promise.all(page.items.map((row) => shown(row, nameOf))), ...nextOf(page) };
    },
  });

async function shown(row: WindowRow, nameOf: RouteScope['nameOf']) {
  const { scope, subject, per, unit, most, spent, assumed, reserved, starts_at, ends_at } = row;
  const name = scope === 'key' ? await nameOf(subject) : undefined;
  const counts = { limit: most, spent, assumed, reserved };
  const window = { starts_at: timestamp(starts_at), resets_at: timestamp(ends_at) };
  return { scope, subject, ...given({ name }), per, unit, ...counts, ...window };
}

const dayMs = 86_400_000;
const dayOf = (at: number): string => timestamp(at).slice(0, 10);
const names = usageNames.join('|');

const usageRoute = ({ clock, lists, nameOf }: RouteScope): Route =>
  defineRoute({
    ...reading,
    path: '/usage',
    operationId: 'listUsage',
    summary: 'Sum the tokens and the cost of calls, grouped by model, key, day and other names',
    query: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...pageQuery,
        from: { type: 'string', format: 'date', description: 'The first day, UTC. Default: 30 days ago' },
        to: { type: 'string', format: 'date', description: 'The last day, UTC. Default: today' },
        by: {
          type: 'string',
          pattern: `^(${names})(,(${names})){0,3}$`,
          examples: ['model,day'],
          default: 'model',
          description: `Up to four names by which it is grouped, with commas between them: ${usageNames.join(', ')}`,
        },
        model: text(128, 'Only this alias'),
        key_id: text(64, 'Only this key'),
        orbiset_id: text(64, 'Only this Orbiset'),
        provider: text(64, 'Only this provider'),
      },
    },
    response: usagePage,
    problems: ['invalid_parameter'],
    async handle({ query: { limit, cursor, by, from: first, to: last, ...only }, principal }) {
      const now = clock.now();
      const [from, to] = [first ?? dayOf(now - 30 * dayMs), last ?? dayOf(now)];
      if (from > to) throw new PlatformError('invalid_parameter', 'from must not be later than to');
      const grouped = [...new Set(by.split(','))] as UsageName[];
      const before = dayOf(Date.parse(to) + dayMs);
      const sums = await lists.usage({ tenant: tenantOf(principal), from, to: before, by: grouped, only });
      if (sums === undefined) {
        const detail = `there are more than ${mostUsageRows} rows; ask for fewer days`;
        throw new PlatformError('invalid_parameter', detail);
      }
      const keyOf = (sum: UsageSum): string => grouped.map((name) => sum[name] ?? '').join('\n');
      const after = afterCursor(cursor, /^[\x20-\x7e\n]+$/) ?? '';
      const rest = sums.filter((sum) => keyOf(sum) > after).slice(0, limit + 1);
      const { items, ...next } = pageOf(rest, limit, keyOf);
      const usage = items.map(async (sum) => {
        const { key_id } = sum;
        return key_id === undefined ? sum : { ...sum, ...given({ key_name: await nameOf(key_id) }) };
      });
      return { from, to, usage: await Promise.all(usage), ...next };
    },
  });

function afterCursor(cursor: string | undefined, form: RegExp): string | undefined {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (form.test(id)) return id;
  throw new PlatformError('invalid_parameter', 'the cursor is not valid: use next_cursor of the previous page');
}
