import {
  given,
  holds,
  PlatformError,
  timestamp,
  type Decision,
  type Operation,
  type Principal,
} from '../../../kernel/index.ts';
import { newestFirst, type NamespaceGrant, type StandingChange } from '../../ledger/contract.ts';
import { undecidedReasons } from '../../receipts/contract.ts';
import type { ListingsNow } from '../listing/listing-index.ts';
import { nameOf, type Entry, type Listing, type ListingTexts } from '../listing.ts';
import { ownedNamespace } from '../namespaces/ownership.ts';
import type { PublishBody } from './publish-request.ts';
import { brokenRules, refuseFaults } from './rules.ts';
import { problems } from '../problems.ts';
import type { MarketScope } from '../scope.ts';
import { attestListing, onNewest } from './attest-listing.ts';
import { unknownOrb, type Orb } from '../../runtime/contract.ts';

/** A request to publish, with its caller. */
interface Publishing {
  readonly body: PublishBody;
  readonly principal: Principal;
  readonly client_ip: string;
}

/** The result: created (201), or changed or unchanged (200). */
export interface Published {
  readonly status: 200 | 201;
  readonly entry: Entry;
}

/** Makes the writes to commit with the receipt, once the answer is known. */
type Kept = (published: Published) => readonly Operation[];

/**
 * Publishes a version, or answers that it is already published as requested. The checks run in this order: known,
 * namespace, policy, immutable, then all rules together. Throws their problems.
 */
export function publish(asked: Publishing, scope: MarketScope, kept: Kept): Promise<Published> {
  return scope.serial(() =>
    onNewest(scope, async () => {
      const checked = await check(asked, scope);
      const signed = (await scope.reputation.offerSignature(checked.orb.orb_id, asked.body.signature)).signed;
      const listing = listingOf(checked, signed, scope);
      if (listing === undefined) return { status: 200, entry: await unchanged(checked, scope, kept) };
      return attested(asked, checked, listing, scope, kept);
    }),
  );
}

/** Computes the answer of publishing without changing anything. */
export async function rehearse(asked: Publishing, scope: MarketScope): Promise<Published> {
  const checked = await check(asked, scope);
  const { before, orb } = checked;
  const signed = asked.body.signature !== undefined || (scope.reputation.manifest(orb.orb_id)?.signed ?? false);
  const listing = listingOf(checked, signed, scope) ?? before;
  if (listing === undefined) throw new Error('a version is new, changed or there already');
  return { status: 200, entry: { ...scope.listings.entryOf(listing, await scope.listings.now()), signed } };
}

type Checked = Awaited<ReturnType<typeof check>>;

async function check(asked: Publishing, scope: MarketScope) {
  const { body, principal } = asked;
  const { reputation, listings, runtime } = scope;
  const orb = runtime.catalog.orbs.get(body.orb_id);
  if (orb === undefined) throw unknownOrb(body.orb_id, seenBy(principal, runtime.catalog.orbs.keys()));
  await reputation.settled();
  const grant = ownedNamespace(orb.namespace, principal, reputation);
  const decision = await ask(asked, orb, grant, scope);
  const before = (await listings.find(orb.orb_id))?.listing;
  refuseOther(body, orb, before);
  const texts = textsOf(body, orb, before);
  const now = await listings.now();
  const errors = brokenRules({
    body,
    orb,
    texts,
    manifestKey: grant.manifest_key,
    foreignNames: foreignNames(grant, now, reputation),
    nameAllowed: before !== undefined || (body.allow_confusable_name === true && principal.scopes.includes('*')),
  });
  refuseFaults(errors);
  /** How many listings there were when the name was compared with theirs. */
  const compared = now.all.size;
  return { orb, texts, decision, before, compared };
}

// Of those that a key may not see, none is named.
function seenBy({ scopes }: Principal, ids: Iterable<string>): readonly string[] {
  return [...ids].filter((id) => holds(scopes, 'orbs:read') || holds(scopes, 'orbs:execute', id));
}

async function ask(
  { principal, client_ip }: Publishing,
  orb: Orb,
  { owner }: NamespaceGrant,
  scope: MarketScope,
): Promise<Decision> {
  const { orb_id } = orb;
  const { tier, suspended, score, manifest_signed } = scope.reputation.get(orb_id);
  const previous = newestOf(orb, await scope.listings.now());
  const decision = await scope.runtime.decide({
    action: 'publish',
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
    context: {
      publish: {
        ...(previous === undefined ? {} : { previous_version: previous.version }),
        namespace_tenant: owner.tenant,
      },
    },
  });
  if (decision.allow) return decision;
  const { decision_id, reasons = [] } = decision;
  const told = { reasons, ...given({ decision_id }) };
  if (reasons.some(({ code }) => undecidedReasons.includes(code)))
    throw new PlatformError('policy_unavailable', 'the policy engine could not decide; nothing was published', {
      ...told,
      retry_after: 1,
    });
  throw new PlatformError('access_denied', 'the policy denies this publication; see reasons', told);
}

function newestOf(orb: Orb, { all }: ListingsNow): Listing | undefined {
  const name = nameOf(orb);
  const versions = [...all.values()].map(({ listing }) => listing);
  return versions.filter((listing) => nameOf(listing) === name).sort(newestFirst)[0];
}

/** Refuses to change a version or to bring it back: throws 409 `version_published`. */
function refuseOther({ manifest_digest }: PublishBody, orb: Orb, before: Listing | undefined): void {
  if (before === undefined) return;
  if (before.status === 'yanked' || before.status === 'removed')
    throw new PlatformError(problems.version_published, `${orb.orb_id} was ${before.status}; publish a new version`);
  const asked = [manifest_digest ?? orb.digest, orb.digest];
  if (asked.every((digest) => digest === before.manifest_digest)) return;
  throw new PlatformError(
    problems.version_published,
    `${orb.orb_id} is published with the manifest ${before.manifest_digest}; give this manifest a new version`,
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
    ...given({ homepage, license }),
  };
}

/**
 * Lists the names in the namespaces of other tenants. Tombstones count too: people who saw such a name may confuse it.
 */
function foreignNames(
  { owner }: NamespaceGrant,
  { all }: ListingsNow,
  reputation: MarketScope['reputation'],
): readonly string[] {
  const names = [...all.values()]
    .filter(({ listing }) => reputation.namespace(listing.namespace)?.owner.tenant !== owner.tenant)
    .map(({ listing }) => nameOf(listing));
  return [...new Set(names)];
}

/** Makes the requested listing; undefined: nothing changes. */
function listingOf({ orb, texts, before }: Checked, signed: boolean, scope: MarketScope): Listing | undefined {
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

async function unchanged({ orb }: Checked, { listings, store }: MarketScope, kept: Kept): Promise<Entry> {
  const entry = await listings.find(orb.orb_id);
  if (entry === undefined) throw new Error('what is unchanged is there');
  const writes = kept({ status: 200, entry });
  if (writes.length > 0) await store.write(writes);
  return entry;
}

async function attested(
  { principal }: Publishing,
  { compared, decision, before }: Checked,
  listing: Listing,
  scope: MarketScope,
  kept: Kept,
): Promise<Published> {
  const status = before === undefined ? 201 : 200;
  const change = { ...said(listing, principal, decision), ...(before === undefined ? { compared } : {}) };
  const entry = await attestListing(listing, change, scope, (found) => [
    ...kept({ status, entry: found }),
    ...(decision.record === undefined ? [] : [decision.record({ receipt_id: found.listing.receipt_id })]),
  ]);
  return { status, entry };
}

// The last log entry of a version decides its status, so a deprecated listing is attested as deprecated again.
function said(
  { status, status_message: reason, manifest_digest, manifest_signed }: Listing,
  { id: principal }: Principal,
  decision: Decision,
): Pick<StandingChange, 'facts' | 'decision'> {
  if (status === 'deprecated' && reason !== undefined) return { facts: { change: 'deprecated', reason, principal } };
  return { facts: { change: 'published', principal, manifest_digest, manifest_signed }, decision };
}
