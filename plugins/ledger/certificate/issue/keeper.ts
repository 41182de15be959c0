import { randomInt } from 'node:crypto';
import { operation, PlatformError, timestamp } from '../../../../kernel/index.ts';
import type { LogSize, OrbReputation } from '../../contract.ts';
import { credentialOf } from './credential.ts';
import { dayOf, midnightOf } from '../format/day.ts';
import type { IssueScope } from './scope.ts';
import { lifetimeAt, namedLog, plan, type Step } from './plan.ts';
import { parseOrbId } from '../../../runtime/contract.ts';
import { listLength, listOf, type Entry, type Purpose } from '../format/status-list.ts';
import { certificateStore, type NewCertificate, type StoredCertificate } from './tables.ts';

/**
 * Brings the certificates of all Orbs to the state the ledger requires. The steps follow from the stored certificates
 * and the current ledger, so running it twice, late, or after a crash makes no difference.
 */
export async function settleCertificates(scope: IssueScope): Promise<void> {
  const { reads, reputation, log } = scope;
  await reputation.settled();
  const orbs = [...new Set([...reputation.orbs(), ...(await reads.orbs())])];
  for (let at = 0; at < orbs.length; at += orbsAtOnce) {
    const some = orbs.slice(at, at + orbsAtOnce);
    const open = await reads.open(some);
    for (const [nth, orbId] of some.entries()) {
      try {
        await settleOrb(orbId, open[nth] ?? [], scope);
      } catch (err) {
        // A failure of one Orb must not stop the others.
        log.warn({ err, orb_id: orbId }, `the server could not update the certificates of ${orbId}; it tries again`);
      }
    }
  }
}

// Their certificates are read at once.
const orbsAtOnce = 100;

async function settleOrb(orbId: string, open: readonly StoredCertificate[], scope: IssueScope): Promise<void> {
  const { clock, days, publicUrl, reputation, signer } = scope;
  const steps = plan({
    reputation: reputation.get(orbId),
    listing: reputation.listing(orbId),
    open,
    keys: signer.keys(),
    // Read after the keys, so that the log already holds their entries.
    head: await scope.head(),
    publicUrl,
    now: clock.now(),
    days,
  });
  // Suspending and revoking need no signature, so they come before issuing and never wait for a signature.
  await mark(
    steps.flatMap((step) => (step.step === 'issue' ? [] : [step])),
    scope,
  );
  for (const step of steps) if (step.step === 'issue') await issue(orbId, step, scope);
}

async function mark(steps: readonly Exclude<Step, { step: 'issue' }>[], scope: IssueScope): Promise<void> {
  if (steps.length === 0) return;
  const at = timestamp(scope.clock.now());
  await scope.store.write(
    steps.map(({ step, id, reason }) =>
      operation(certificateStore, 'certificateMarked', { id, change: step, at, reason }),
    ),
  );
  scope.lists.changed();
  for (const { step, id, reason } of steps) scope.log.info({ certificate_id: id, reason }, `certificate: ${step}`);
}

type Issuing = Extract<Step, { step: 'issue' }>;

async function issue(orbId: string, step: Issuing, scope: IssueScope, triesLeft = 3): Promise<void> {
  const entries = {
    revocation: await freeEntry('revocation', scope),
    suspension: await freeEntry('suspension', scope),
  };
  try {
    await issueAt(entries, orbId, step, scope);
  } catch (err) {
    // Another process that has the store open may have given one of the entries since.
    if (!isFirstElsewhere(err) || triesLeft <= 1) throw err;
    await issue(orbId, step, scope, triesLeft - 1);
  }
}

async function issueAt(
  entries: NewCertificate['entries'],
  orbId: string,
  { tier, reason }: Issuing,
  scope: IssueScope,
): Promise<void> {
  const { clock, days, ids, issuer, publicUrl, store } = scope;
  const reputation = scope.reputation.get(orbId);
  // The ledger may have changed since the plan was made; the next pass makes a new plan.
  if (reputation.tier !== tier) return;
  const manifestDigest = scope.reputation.manifest(orbId)?.digest ?? scope.reputation.listing(orbId)?.manifest_digest;
  if (manifestDigest === undefined) throw new Error(`nothing is known of the manifest of ${orbId}`);
  const id = ids('crt');
  const now = clock.now();
  const day = dayOf(now);
  const manifestKey = scope.reputation.namespace(parseOrbId(orbId).namespace)?.manifest_key;
  const { identity, document } = await issuer.secure(midnightOf(day), async (by) =>
    credentialOf({
      ...{ publicUrl, id, issuer: by, installation: store.installation, day, days: lifetimeAt(now, days) },
      ...{ reputation, manifestDigest, manifestKey, entries, log: await logOf(by.kid, scope, reputation) },
    }),
  );
  const certificate: NewCertificate = {
    ...{ id, orb_id: orbId, tier, kid: identity.kid, document, entries, reason },
    valid_from: document.validFrom,
    valid_until: document.validUntil,
    at: timestamp(now),
  };
  await store.write([operation(certificateStore, 'certificateIssued', certificate)]);
  scope.log.info({ certificate_id: id, orb_id: orbId, tier, reason }, 'certificate: issue');
}

// The store's answer to a write that was refused, because an entry of a list was given since.
function isFirstElsewhere(err: unknown): boolean {
  return err instanceof PlatformError && err.code === 'storage_unavailable';
}

// The key may have changed since the plan was made, even during signing.
async function logOf(kid: string, { signer, head }: IssueScope, reputation: OrbReputation): Promise<LogSize> {
  const key = signer.keys().find((one) => one.kid === kid);
  const log = key === undefined ? undefined : namedLog(key, reputation, await head());
  if (log === undefined) throw new Error(`the log does not hold the certificate key ${kid} yet`);
  return log;
}

/**
 * Picks a random entry that was never given, in a list under the current public address. At most half of a list is
 * used, so a few tries find a free entry.
 */
async function freeEntry(purpose: Purpose, { lists, publicUrl, reads }: IssueScope): Promise<Entry> {
  const isUsable = async (list: number): Promise<boolean> =>
    (await reads.given(list)) < listLength / 2 && ((await lists.addressOf(list)) ?? publicUrl) === publicUrl;
  let pair = 0;
  while (!(await isUsable(listOf(purpose, pair)))) pair += 1;
  const list = listOf(purpose, pair);
  for (;;) {
    const index = await reads.free(
      list,
      Array.from({ length: 8 }, () => randomInt(listLength)),
    );
    if (index !== undefined) return { list, index };
  }
}
