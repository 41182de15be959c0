import type { Operation } from './operation.ts';

// In the order of use; a path belongs to the first topic whose pattern it fits.
const topics: readonly (readonly [title: string, path: RegExp])[] = [
  ['Run Orbs', /^\/(?:orbisets\/\{id\}\/(?:execute|preview)$|runs|events)/],
  ['Orbs and Orbisets', /^\/orb(?:s|isets)(?:\/\{\w+\})?$/],
  ['Approvals', /^\/approvals/],
  ['Receipts and the log', /^\/(?:receipts|audit|log|signing-keys|verify|\.well-known\/jwks)/],
  ['Keys', /^\/keys/],
  ['Schedules', /\/schedules/],
  ['Callbacks', /subscriptions|callback-keys/],
  ['Providers', /^\/(?:providers(?!\/\{provider\})|adapters$|swaps|config)/],
  ['Tools for agents (MCP)', /\/mcp|^\/providers\/\{provider\}\/import/],
  ['Models', /\/v1\/(?:chat|messages|embeddings|models)/],
  ['Budgets and usage', /^\/(?:budgets|usage)$/],
  ['Policies', /^\/(?:policies|dry-run)/],
  ['Webhooks and incidents', /^\/(?:sources|deliveries|hooks|incidents|maintenance)/],
  ['Marketplace and reputation', /^\/(?:marketplace|reputation|namespaces|ledger|scoring)/],
  ['Certificates', /^\/(?:certificates|status-lists|contexts|schemas|\.well-known\/did)/],
  ['Status and monitoring', /^\/(?:status|health|metrics|stats|overview|search|traces|nodes|api\/v2)/],
  ['Client libraries', /^\/clients/],
  ['Console and pages', /^/],
];

// The calls that most programs begin with, before the others of their topic.
const first = ['executeOrb', 'previewRun', 'getRun', 'listRuns', 'cancelRun', 'listOrbs', 'getOrb', 'getReceipt'];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Groups operations by topic, each in the order of use. */
export function topicsOf(operations: readonly Operation[]) {
  const titleOf = ({ title }: Operation): string | undefined => {
    const [, path = ''] = title.split(' ');
    return topics.find(([, pattern]) => pattern.test(path))?.[0];
  };
  const groups = Map.groupBy(operations, titleOf);
  return topics.flatMap(([title]) => {
    const own = groups.get(title) ?? [];
    return own.length === 0 ? [] : [{ title, operations: own.toSorted(byUse) }];
  });
}

function byUse(one: Operation, other: Operation): number {
  const [rank, otherRank] = [rankOf(one), rankOf(other)];
  if (rank !== otherRank) return rank - otherRank;
  const [method = '', path = ''] = one.title.split(' ');
  const [otherMethod = '', otherPath = ''] = other.title.split(' ');
  if (path !== otherPath) return path < otherPath ? -1 : 1;
  return methods.indexOf(method) - methods.indexOf(otherMethod);
}

function rankOf({ page }: Operation): number {
  const at = first.indexOf(page.slice('api/'.length));
  return at < 0 ? first.length : at;
}
