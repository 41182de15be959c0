import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Book } from './book.ts';
import { forbiddenText, type Caller } from './callers.ts';
import type { Client } from './client.ts';
import { echoOrb, echoProviders, emailOrb, emailProviders, publishedOrbs } from './home.ts';
import { rest } from './pace.ts';
import type { Site } from './site.ts';

/** What operators work with. */
export interface Operation {
  readonly site: Site;
  readonly client: Client;
  readonly book: Book;
  readonly over: AbortSignal;
}

/** Makes what swaps, round by round: both Orbs around their providers, a rollback now and then, a stale precondition. */
export function createSwapper({ site, client, book }: Operation): (round: number) => Promise<void> {
  const orbs = [
    { orb: echoOrb, providers: echoProviders },
    { orb: emailOrb, providers: emailProviders },
  ];
  return async (round) => {
    const { orb, providers } = orbs[round % 2] ?? { orb: echoOrb, providers: echoProviders };
    const turn = Math.floor(round / 2);
    const provider = providers[(turn + 1) % providers.length];
    const base = `/providers/${encodeURIComponent(orb)}`;
    const key = site.adminKey;
    if (turn % 8 === 7)
      return void (await client.ask(`${base}/swap`, {
        key,
        json: { provider },
        headers: { 'if-match': '"0"' },
        fits: [412],
      }));
    const rollback = turn % 5 === 4;
    const answer = await client.ask(rollback ? `${base}/rollback` : `${base}/swap`, {
      key,
      ...(rollback ? { method: 'POST' } : { json: { provider } }),
      fits: [200, 409],
    });
    if (answer?.status !== 200) return;
    book.count(rollback ? 'rollbacks' : 'swaps');
    book.swapped(String(answer.json['swap_id']), String(answer.json['receipt_id']));
  };
}

/** Makes what edits policies, round by round: a good file, a broken one that changes nothing, none at all. */
export function createPolicyEditor(operation: Operation, caller: Caller): (round: number) => Promise<void> {
  const { site, client, book } = operation;
  const file = join(site.served.home, 'policies/soak.rego');
  const forbidden = async (what: string): Promise<void> => {
    const json = { orb_id: echoOrb, inputs: { text: forbiddenText } };
    const path = `/orbisets/${caller.orbiset}/execute`;
    const answer = await client.ask(path, { key: caller.key, json, fits: [403] });
    if (answer?.status === 200) book.fault(`${what}, yet what it forbids was done`);
  };
  return async (round) => {
    const before = await statusOf(operation);
    if (before === undefined) return;
    writeFileSync(file, policy(round));
    if (
      await until(
        operation,
        'a good policy',
        ({ rejected, revision }) => rejected === null && revision !== before.revision,
      )
    )
      await forbidden('the policy is active');
    book.count('active policies');
    writeFileSync(file, `${policy(round)}\nallow if {`);
    if (await until(operation, 'a broken policy', ({ rejected }) => rejected !== null))
      await forbidden('a broken file leaves the last good revision');
    book.count('broken policies');
    if (round % 3 !== 2) return;
    rmSync(file);
    await until(operation, 'the folder without the policy', ({ rejected }) => rejected === null);
  };
}

interface PolicyStatus {
  readonly revision: string | null;
  readonly rejected: object | null;
}

async function statusOf({ site, client }: Operation): Promise<PolicyStatus | undefined> {
  const answer = await client.ask('/policies/-/status', { key: site.adminKey });
  return answer?.status === 200 ? (answer.json as unknown as PolicyStatus) : undefined;
}

// Three seconds on a machine that breathes; a compiler that starts again on a full one needs a minute.
const patienceMs = 120_000;

async function until(operation: Operation, what: string, fits: (status: PolicyStatus) => boolean): Promise<boolean> {
  const { book, over } = operation;
  const deadline = Date.now() + patienceMs;
  while (!over.aborted) {
    const status = await statusOf(operation);
    if (status !== undefined && fits(status)) return true;
    if (Date.now() > deadline) {
      book.fault(`${what} was not seen within ${patienceMs} ms: ${JSON.stringify(status)}`);
      return false;
    }
    await rest(250, over);
  }
  return false;
}

function policy(round: number): string {
  return `package orb.policies.soak

deny contains "edit ${round}" if {
	input.action.name == "execute"
	input.context.inputs.text == "${forbiddenText}"
}
`;
}

/** Makes what publishes, round by round: versions with changing texts, and their deprecation and return. */
export function createPublisher({ site, client, book }: Operation): (round: number) => Promise<void> {
  return async (round) => {
    const orbId = publishedOrbs[round % publishedOrbs.length] ?? echoOrb;
    const key = site.adminKey;
    const body = { orb_id: orbId, listing: { title: `Soaked ${round}` } };
    const headers = { 'idempotency-key': `publish-${round}` };
    const answer = await client.insist('/marketplace/orbs/publish', { key, json: body, headers, fits: [200, 201] });
    if (answer === undefined || answer.status >= 300) return;
    book.count('publications');
    const path = `/marketplace/orbs/${encodeURIComponent(orbId)}/status`;
    for (const status of ['deprecated', 'active'])
      await client.ask(path, { method: 'PATCH', key, json: { status, reason: 'a soak' }, fits: [200, 409] });
  };
}

/** Publishes the Orb that the load runs, so that its pages and badge are public. */
export async function publishEcho({ site, client }: Operation): Promise<void> {
  await client.ask('/marketplace/orbs/publish', { key: site.adminKey, json: { orb_id: echoOrb }, fits: [200, 201] });
}
