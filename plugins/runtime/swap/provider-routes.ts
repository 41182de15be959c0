import type { SwapQuestion } from '../run/access-request.ts';
import type { RuntimeReads } from '../store.ts';
import type { SwapScope } from './scope.ts';
import { orbParams } from '../catalog/orb-id.ts';
import { idempotencyKey } from '../journal/once.ts';
import type { IdempotencyKeys } from '../journal/keys.ts';
import type { Binding } from '../provider/binding.ts';
import { totalOf, useOf, withOthers } from '../provider/use.ts';
import { providerStatus, statusOf } from '../provider/status.ts';
import { matrixRoute } from './provider-matrix.ts';
import { shownSwap, swapState } from '../tables/swap-record.ts';
import { boundTo } from './refusals.ts';
import type { Ask, Swapper } from './swapper.ts';
import type { OrbUses } from './uses.ts';
import {
  PlatformError,
  idOfCursor,
  nextOf,
  pageQuery,
  defineRoute,
  reply,
  type Route,
  exactly,
  given,
  optional,
  type AccessRequest,
} from '../../../kernel/index.ts';
import { undecidedReason } from '../outcome/undecided.ts';
import type { Allowed } from '../../../kernel/runner.ts';

/** The dependencies of the routes of providers. */
interface ProviderRoutesOptions extends Pick<SwapScope, 'bindings' | 'hooks'> {
  /** Whether lists show an Orb. */
  readonly isListed: (orbId: string) => boolean;
  readonly swapper: Swapper;
  readonly keys: IdempotencyKeys;
  readonly reads: Pick<RuntimeReads, 'findSwap' | 'listSwaps'>;
  /** How other nodes use the providers; absent: there are none. */
  readonly uses?: OrbUses | undefined;
  /** Makes the question `swap` for the policy. */
  readonly question: (asked: SwapQuestion) => AccessRequest;
}

const time = { type: 'string', format: 'date-time' } as const;

/** Schema of a swap. */
export const swapSchema = exactly('Swap', {
  swap_id: { type: 'string', description: 'Id of the swap' },
  orb_id: { type: 'string', description: 'Id of the Orb' },
  from: optional({ type: 'string', description: 'Name of the old provider' }),
  to: { type: 'string', description: 'Name of the new provider' },
  state: swapState,
  generation: { type: 'integer', description: 'Number of the opening of a provider for the Orb' },
  rolls_back: optional({ type: 'string', description: 'Id of the swap that it rolls back' }),
  started_at: { ...time, description: 'When it started' },
  switched_at: optional({ ...time, description: 'When the new provider was bound' }),
  reason: optional({ type: 'string', description: 'Why it failed' }),
  changed: optional({
    type: 'boolean',
    description: '`false`: the provider was already bound with the same configuration; it was reopened',
  }),
  receipt_id: optional({ type: 'string', description: 'Id of the receipt' }),
});

const swapRequest = exactly('SwapRequest', {
  provider: { type: 'string', minLength: 1, maxLength: 64, description: 'Name of the provider to switch to' },
});

const swapProblems = [
  'access_denied',
  'orb_not_found',
  'swap_in_progress',
  'precondition_failed',
  'invalid_provider',
  'probe_failed',
  'policy_unavailable',
  'storage_unavailable',
] as const;

const shows = { method: 'GET', service: 'runtime', scope: 'providers:read' } as const;
const changes = {
  method: 'POST',
  service: 'runtime',
  scope: 'providers:swap',
  live: true,
  params: orbParams,
  response: swapSchema,
} as const;

/** Answers `/providers/{orb_id}/status|swap|rollback`, `/swaps` and `/swaps/{swap_id}`. */
export function providerRoutes(options: ProviderRoutesOptions): readonly Route[] {
  return [
    matrixRoute(options),
    statusRoute(options),
    swapRoute(options),
    rollbackRoute(options),
    listSwaps(options),
    showSwap(options),
  ];
}

const statusRoute = ({ bindings, reads, swapper, uses }: ProviderRoutesOptions): Route =>
  defineRoute({
    ...shows,
    path: '/providers/{orb_id}/status',
    operationId: 'getProviderStatus',
    summary: 'Show the active provider of an Orb and the state of its hot-swap',
    params: orbParams,
    response: {
      ...providerStatus,
      properties: {
        ...providerStatus.properties,
        last_swap: { ...swapSchema, description: 'The last swap of the Orb' },
      },
    },
    sends: { ETag: true },
    problems: ['orb_not_found'],
    handle: async ({ params }) => {
      const binding = boundTo(params.orb_id, bindings);
      const status = statusOf(binding);
      const body = uses === undefined ? status : await ofAllNodes(binding, { reads, swapper, uses });
      return reply({ body, headers: { ETag: `"${status.generation}"` } });
    },
  });

// A swap that another node leads goes on there: its row says how far it is.
async function ofAllNodes(
  binding: Binding,
  { reads, swapper, uses }: Pick<ProviderRoutesOptions, 'reads' | 'swapper'> & { readonly uses: OrbUses },
) {
  const [others, last] = [await uses.others(binding.orb.orb_id), binding.last_swap];
  const stored = last === undefined || swapper.running(last.swap_id) ? undefined : await reads.findSwap(last.swap_id);
  const own = { node: uses.node, ...useOf(binding) };
  const nodes = [own, ...others].sort((a, b) => (a.node < b.node ? -1 : 1));
  return {
    ...withOthers(statusOf(binding, uses.slotsOf(others)), others),
    ...(stored === undefined ? {} : { last_swap: shownSwap(stored) }),
    nodes: nodes.map((use) => ({ node: use.node, generation: use.generation, in_flight: totalOf(use) })),
  };
}

const swapRoute = (options: ProviderRoutesOptions): Route =>
  defineRoute({
    ...changes,
    path: '/providers/{orb_id}/swap',
    operationId: 'swapProvider',
    summary: 'Swap the provider of an Orb: the server tests the new one first; no run fails or is sent twice',
    reads: ['Idempotency-Key', 'If-Match'],
    body: swapRequest,
    sends: { 'Idempotent-Replayed': true },
    problems: [...swapProblems, 'idempotency_in_progress', 'idempotency_mismatch'],
    handle: ({ params: { orb_id }, body, principal, client_ip, headers }) => {
      const key = idempotencyKey(headers['idempotency-key']);
      const path = `/providers/${orb_id}/swap`;
      const name = key === undefined ? undefined : { principal: principal.id, method: 'POST', path, key };
      const ifMatch = textOf(headers['if-match']);
      return options.keys.once(name, body, async (claim) => {
        const request = { orb_id, provider: body.provider, principal, ifMatch, claim };
        const asked = { principal, client_ip, rollback: false };
        const decide: Ask = (binding, target) => ask(options, { binding, target, ...asked });
        return shownSwap(await options.swapper.swap(request, decide));
      });
    },
  });

const rollbackRoute = (options: ProviderRoutesOptions): Route =>
  defineRoute({
    ...changes,
    path: '/providers/{orb_id}/rollback',
    operationId: 'rollBackProvider',
    summary: 'Swap back to the provider bound before the last swap',
    reads: ['If-Match'],
    problems: swapProblems,
    handle: async ({ params, principal, client_ip, headers }) => {
      const { bindings, reads, swapper } = options;
      const { orb_id } = boundTo(params.orb_id, bindings).orb;
      const { items: swaps } = await reads.listSwaps({ orb_id, limit: 100 });
      // A configuration that was read again gives a provider a new generation: it is no swap to another one.
      const undone = swaps.find(
        ({ state, from, to }) => (state === 'draining' || state === 'completed') && from !== to,
      );
      const { from: provider, swap_id: rollsBack } = undone ?? {};
      if (provider === undefined || rollsBack === undefined)
        throw new PlatformError(
          'invalid_provider',
          'there is no swap of this Orb to roll back; POST /providers/{orb_id}/swap names a provider',
        );
      const ifMatch = textOf(headers['if-match']);
      const request = { orb_id, provider, principal, ifMatch, rollsBack };
      const asked = { principal, client_ip, rollback: true };
      const swap = await swapper.swap(request, (binding, target) => ask(options, { binding, target, ...asked }));
      return shownSwap(swap);
    },
  });

const listSwaps = ({ swapper, reads }: ProviderRoutesOptions): Route =>
  defineRoute({
    ...shows,
    path: '/swaps',
    operationId: 'listSwaps',
    summary: 'List swaps that changed the provider or its configuration, newest first',
    query: {
      type: 'object',
      properties: {
        ...pageQuery,
        orb_id: { type: 'string', maxLength: 200, description: 'Only swaps of this Orb' },
        provider: { type: 'string', maxLength: 64, description: 'Only swaps from or to this provider' },
      },
    },
    response: exactly('SwapList', {
      swaps: { type: 'array', description: 'Newest first', items: swapSchema },
      next_cursor: optional({ type: 'string', description: 'Cursor of the next page; absent on the last' }),
    }),
    handle: async ({ query: { cursor, ...filter } }) => {
      const page = await reads.listSwaps({ ...filter, before: idOfCursor(cursor, 'swp_') });
      return { swaps: page.items.map((row) => shownSwap(swapper.running(row.swap_id) ?? row)), ...nextOf(page) };
    },
  });

const showSwap = ({ swapper, reads }: ProviderRoutesOptions): Route =>
  defineRoute({
    ...shows,
    path: '/swaps/{swap_id}',
    operationId: 'getSwap',
    summary: 'Show the state of a swap',
    params: exactly({ swap_id: { type: 'string', maxLength: 64, description: 'Id of the swap' } }),
    response: swapSchema,
    problems: ['swap_not_found'],
    handle: async ({ params: { swap_id } }) => {
      const swap = swapper.running(swap_id) ?? (await reads.findSwap(swap_id));
      if (swap !== undefined) return shownSwap(swap);
      throw new PlatformError('swap_not_found', `there is no swap ${swap_id}; GET /swaps lists them`);
    },
  });

async function ask(
  { hooks, question }: ProviderRoutesOptions,
  asked: Omit<SwapQuestion, 'targetHealth'>,
): Promise<Allowed> {
  const targetHealth =
    asked.binding.order.find(({ provider }) => provider.name === asked.target.name)?.health.health ?? 'unknown';
  const unavailable = (told: object, cause?: unknown): PlatformError =>
    new PlatformError(
      'policy_unavailable',
      'the policy engine could not decide; nothing was changed',
      { ...told, retry_after: 1 },
      { cause },
    );
  const asking = async () => hooks.decide(question({ ...asked, targetHealth }));
  const decision = await asking().catch((cause: unknown) => {
    throw unavailable({}, cause);
  });
  if (decision.allow) return decision;
  const { decision_id, reasons = [] } = decision;
  const told = given({ reasons, decision_id });
  if (undecidedReason(decision) !== undefined) throw unavailable(told);
  throw new PlatformError('access_denied', 'the policy denies this swap; see reasons', told);
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}
