import {
  operation,
  PlatformError,
  timestamp,
  type Clock,
  type Decision,
  type Log,
  type Operation,
  type Orb,
  type Platform,
  type Principal,
  type Store,
} from '../../../kernel/index.ts';
import { newestFirst, type NamespaceGrant, type Reputation, type StandingChange } from '../../ledger/contract.ts';
import { undecidedReasons } from '../../receipts/contract.ts';
import type { Board } from '../listing/listing-index.ts';
import type { Entry } from '../listing/entry.ts';
import { nameOf, type Listing, type ListingTexts } from '../listing/listing.ts';
import { ownedNamespace } from '../namespaces/ownership.ts';
import type { PublishBody } from './publish-request.ts';
import { brokenRules } from './rules.ts';
import type { Turns } from './serial.ts';
import marketplaceStore from '../store.ts';
import { problems } from '../problems.ts';

/** What publishing stands on. */
export interface PublishScope {
  readonly platform: Platform;
  readonly store: Store;
  readonly reputation: Reputation;
  readonly board: Board;
  readonly clock: Clock;
  readonly log: Log;
  /** One change of the marketplace at a time. */
  readonly turns: Turns;
}

/** Who asks for what. */
export interface Publishing {
  readonly body: PublishBody;
  readonly principal: Principal;
  readonly client_ip: string;
}

/** What became of it: made, changed, or there already. */
export interface Published {
  readonly status: 200 | 201;
  readonly entry: Entry;
}

/** Writes to commit with the receipt, once the answer is known. */
export type Kept = (published: Published) => readonly Operation[];

/**
 * Publishes a version, or says that it is published as asked. The checks stand in their order: known, namespace, policy,
 * immutable, then all rules at once. Throws their problems.
 */
export function publish(asked: Publishing, scope: PublishScope, kept: Kept): Promise<Published> {
  return scope.turns.take(async () => {
    const checked = await check(asked, scope);
    const signed = (await scope.reputation.offerSignature(checked.orb.orb_id, asked.body.signature)).signed;
    const listing = listingOf(checked, signed, scope);
    if (listing === undefined) return { status: 200, entry: await unchanged(checked, scope, kept) };
    return attested(asked, checked, listing, scope, kept);
  });
}

/** Says what publishing would answer, and changes nothing. */
export async function rehearse(asked: Publishing, scope: PublishScope): Promise<Published> {
  const checked = await check(asked, scope);
  const { before, orb } = checked;
  const signed = asked.body.signature !== undefined || (scope.reputation.manifest(orb.orb_id)?.signed ?? false);
  const listing = listingOf(checked, signed, scope) ?? before;
  if (listing === undefined) throw new Error('a version is new, changed or there already');
  return { status: 200, entry: { ...scope.board.entryOf(listing), signed } };
}

interface Checked {
  readonly orb: Orb;
  readonly texts: ListingTexts;
  readonly decision: Decision;
  readonly before: Listing | undefined;
}

async function check({ body, principal, client_ip }: Publishing, scope: PublishScope): Promise<Checked> {
  const { platform, reputation, board } = scope;
  const orb = platform.catalog.orbs.get(body.orb_id);
  if (orb === undefined)
    throw new PlatformError('orb_not_found', `this installation has no Orb ${body.orb_id}; GET /orbs lists them`);
  await reputation.settled();
  const grant = ownedNamespace(orb.namespace, principal, reputation);
  const decision = await ask({ orb, principal, client_ip, grant }, scope);
  const before = board.find(orb.orb_id)?.listing;
  refuseOther(body, orb, before);
  const texts = textsOf(body, orb, before);
  const errors = brokenRules({
    body,
    orb,
    texts,
    manifestKey: grant.manifest_key,
    foreignNames: foreignNames(grant, scope),
    nameAllowed: before !== undefined || (body.allow_confusable_name === true && principal.scopes.includes('*')),
  });
  if (errors.length > 0)
    throw new PlatformError(
      problems.listing_invalid,
      errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; '),
      { errors },
    );
  return { orb, texts, decision, before };
}

interface Question {
  readonly orb: Orb;
  readonly principal: Principal;
  readonly client_ip: string;
  readonly grant: NamespaceGrant;
}

async function ask({ orb, principal, client_ip, grant }: Question, scope: PublishScope): Promise<Decision> {
  const { orb_id } = orb;
  const { tier, suspended, score, manifest_signed } = scope.reputation.get(orb_id);
  const previous = newestOf(orb, scope.board);
  const { owner } = grant;
  const decision = await scope.platform.mayPublish({
    principal,
    client_ip,
    orb_id,
    standing: {
      tier,
      state: suspended ? 'suspended' : 'active',
      score,
      signed: manifest_signed,
      is_self: owner.principal === undefined ? owner.tenant === principal.tenant : owner.principal === principal.id,
    },
    ...(previous === undefined ? {} : { previous_version: previous.version }),
    namespace_tenant: owner.tenant,
  });
  if (decision.allow) return decision;
  const { decision_id, reasons = [] } = decision;
  const told = { reasons, ...(decision_id === undefined ? {} : { decision_id }) };
  if (reasons.some(({ code }) => undecidedReasons.includes(code)))
    throw new PlatformError('policy_unavailable', 'the policy engine could not decide; nothing was published', {
      ...told,
      retry_after: 1,
    });
  throw new PlatformError('access_denied', 'the policy denies this publication; see reasons', told);
}

function newestOf(orb: Orb, board: Board): Listing | undefined {
  const name = nameOf(orb);
  const versions = [...board.now().all.values()].map(({ listing }) => listing);
  return versions.filter((listing) => nameOf(listing) === name).sort(newestFirst)[0];
}

/** A version never changes, and never comes back: 409 `version_published`. */
function refuseOther({ manifest_digest }: PublishBody, orb: Orb, before: Listing | undefined): void {
  if (before === undefined) return;
  if (before.status === 'yanked' || before.status === 'removed')
    throw new PlatformError(problems.version_published, `${orb.orb_id} was ${before.status}; publish a new version`);
  const asked = [manifest_digest ?? orb.digest, orb.digest];
  if (asked.every((digest) => digest === before.manifest_digest)) return;
  throw new PlatformError(
    problems.version_published,
    `${orb.orb_id} is published with the manifest ${before.manifest_digest}; give the other one a new version`,
  );
}

function textsOf({ listing: said = {} }: PublishBody, { manifest }: Orb, before: Listing | undefined): ListingTexts {
  const { title, description, capability } = manifest;
  const homepage = said.homepage ?? before?.homepage;
  const license = said.license ?? before?.license ?? manifest.license;
  return {
    title: said.title ?? before?.title ?? title,
    description: said.description ?? before?.description ?? description,
    readme: said.readme ?? before?.readme ?? '',
    category: said.category ?? before?.category ?? capability,
    tags: said.tags ?? before?.tags ?? [],
    ...(homepage === undefined ? {} : { homepage }),
    ...(license === undefined ? {} : { license }),
  };
}

/** Names in the namespaces of other tenants, tombstones included: who saw them once may take another for them. */
function foreignNames({ owner }: NamespaceGrant, { board, reputation }: PublishScope): readonly string[] {
  const names = [...board.now().all.values()]
    .filter(({ listing }) => reputation.namespace(listing.namespace)?.owner.tenant !== owner.tenant)
    .map(({ listing }) => nameOf(listing));
  return [...new Set(names)];
}

/** Makes the listing as it shall stand; undefined: it stands so already. */
function listingOf({ orb, texts, before }: Checked, signed: boolean, scope: PublishScope): Listing | undefined {
  const { orb_id, namespace, name, version, digest } = orb;
  const now = timestamp(scope.clock.now());
  const after = scope.reputation.snapshot()?.day ?? '';
  const stated = { ...texts, manifest_digest: digest, manifest_signed: signed };
  if (before !== undefined) {
    const next = { ...before, ...stated };
    if (same(before, next)) return undefined;
    return { ...next, updated_at: now, revision: before.revision + 1 };
  }
  return {
    ...stated,
    orb_id,
    namespace,
    name,
    version,
    status: 'active',
    published_at: now,
    updated_at: now,
    listed_at: now,
    published_after: after,
    listed_after: after,
    receipt_id: '',
    revision: 1,
  };
}

function same(one: Listing, other: Listing): boolean {
  // Both were built from the same members in the same order.
  return JSON.stringify(one) === JSON.stringify(other);
}

async function unchanged({ orb }: Checked, { board, store }: PublishScope, kept: Kept): Promise<Entry> {
  const entry = board.find(orb.orb_id);
  if (entry === undefined) throw new Error('what is unchanged is there');
  const writes = kept({ status: 200, entry });
  if (writes.length > 0) await store.write(writes);
  return entry;
}

async function attested(
  { principal }: Publishing,
  { orb, decision, before }: Checked,
  listing: Listing,
  scope: PublishScope,
  kept: Kept,
): Promise<Published> {
  const { platform, reputation, board, clock, log } = scope;
  const status = before === undefined ? 201 : 200;
  const finished = (receipt_id: string): Published => ({ status, entry: board.entryOf({ ...listing, receipt_id }) });
  const { receipt_id } = await platform.attest<StandingChange>({
    fact: { kind: 'standing', at: timestamp(clock.now()), orb_id: orb.orb_id, ...said(listing, principal, decision) },
    operations: (receiptId) => [
      operation(marketplaceStore, 'put', { ...listing, receipt_id: receiptId }),
      ...kept(finished(receiptId)),
      ...(decision.record === undefined ? [] : [decision.record({ receipt_id: receiptId })]),
    ],
  });
  board.changed();
  // The listing is committed: a ledger that is late only makes what it says of the Orb late.
  await reputation.settled().catch((error: unknown) => log.warn({ err: error }, 'the ledger is behind'));
  board.changed();
  return finished(receipt_id);
}

// In the log the last word counts: of a deprecated version, whatever is new of it, that is that it is deprecated.
function said(
  { status, status_message: reason, manifest_digest, manifest_signed }: Listing,
  { id: principal }: Principal,
  decision: Decision,
): Pick<StandingChange, 'facts' | 'decision'> {
  if (status === 'deprecated' && reason !== undefined) return { facts: { change: 'deprecated', reason, principal } };
  return { facts: { change: 'published', principal, manifest_digest, manifest_signed }, decision };
}
