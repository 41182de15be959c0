import { holds, PlatformError, type Principal } from '../../../kernel/index.ts';
import type { ReceiptDocument } from '../contract.ts';
import { runOf } from './disclose.ts';
import { documentOf, type Owner, examiner, remembering } from './document.ts';
import type { StoredReceipt } from '../log/rows/stored-receipt.ts';
import type { PublicKey } from '../format/jwk.ts';
import type { KeyState } from '../keys/service/state.ts';
import { kindsWith, type Kinds } from '../kinds/kind.ts';
import type { ServedReads } from '../store.ts';
import type { DecisionsAtHand, Examined } from '../verifier/approval.ts';
import { mostDecisions } from '../verifier/artefact.ts';
import { problems } from '../problems.ts';

/** Reads receipts; each is verified from the bytes just read. */
export type ReceiptReader = ReturnType<typeof createReader>;

/** The receipts that the auditor found to fail; `looked` is called with each read that may give another verdict. */
interface Audited {
  readonly failing: { readonly size: number };
  looked(document: ReceiptDocument): void;
}

/** Makes a reader, which compares what it reads with what the auditor found. */
export function createReader(reads: Pick<ServedReads, 'provenReceipt'>, state: KeyState, audited: Audited) {
  const kinds = kindsWith(state.trust.facts);
  const examine = remembering(examiner(state.trust), () => state.version());
  // A decision that cannot be read says nothing about the run: it is not at hand.
  const decisionsOf = async (named: readonly string[]): Promise<DecisionsAtHand> => {
    const atHand = new Map<string, Examined>();
    for (const id of named.slice(0, mostDecisions)) {
      const read = await Promise.resolve(reads.provenReceipt(id)).catch(() => undefined);
      if (read === undefined) continue;
      await knowing(state, read.row.kid, read.row.origin);
      atHand.set(id, examine(read.row, read.proof));
    }
    return atHand;
  };
  const find = async (receiptId: string) => {
    const read = await reads.provenReceipt(receiptId);
    if (read === undefined) return undefined;
    const { ofRun, proof, row } = read;
    await knowing(state, row.kid, row.origin);
    const { named } = examine(row, proof);
    const decisions = named === undefined ? undefined : await decisionsOf(named);
    const options = { examine, prove: () => proof, ...(decisions && { decisions }) };
    const found = documentOf(row, state.trust, { receiptsOfRun: () => ofRun }, options);
    if (!found.document.signature_valid || audited.failing.size > 0) audited.looked(found.document);
    return { ...found, row };
  };
  const seen = async (principal: Principal, receiptId: string) => {
    const found = await find(receiptId);
    if (found === undefined) return undefined;
    const { owner, row } = found;
    return mayRead(principal, owner, kinds) || isOwn(principal, owner, row) ? found : undefined;
  };
  return {
    find,
    /** Finds a receipt that the caller may see; undefined when there is none or it is hidden. */
    seen,
    /** Finds a receipt that the caller may see. Throws 404 `receipt_not_found` when there is none or it is hidden. */
    async findFor(principal: Principal, receiptId: string) {
      const found = await seen(principal, receiptId);
      if (found !== undefined) return found;
      throw new PlatformError(
        problems.receipt_not_found,
        `there is no receipt ${receiptId} that this key can read; GET /receipts lists them`,
      );
    },
  };
}

// Another node may have opened a log a moment ago, under keys that this one has not learned yet.
async function knowing(state: KeyState, kid: string, origin: string): Promise<void> {
  const isKnown = (known: (key: PublicKey) => boolean): boolean => state.keys().some(known);
  if (!isKnown((key) => key.kid === kid) || !isKnown((key) => key.origin === origin)) await state.refresh();
}

/**
 * Lists the scopes; one of them suffices to request a receipt: `orbs:execute` is for those of the caller's own runs, the
 * acts' scopes are for the installation's own.
 */
export function readingScopes(known: Readonly<Record<string, unknown>>, kinds: Kinds): readonly string[] {
  const ofActs = [...kinds.values()].flatMap(({ scopes }) => scopes);
  // An act whose plugin is not installed has neither scope nor receipts.
  return ['receipts:read', 'orbs:execute', ...new Set(ofActs.filter((scope) => Object.hasOwn(known, scope)))];
}

function mayRead({ scopes, tenant }: Principal, { kind, tenants }: Owner, kinds: Kinds): boolean {
  if (holds(scopes, '*')) return true;
  if (tenants.size !== 1) return false;
  if (tenants.has(null)) return (kinds.get(kind)?.scopes ?? []).some((scope) => holds(scopes, scope));
  return tenants.has(tenant) && holds(scopes, 'receipts:read');
}

// As for the run itself: its principal may read it while the key may run the Orb.
function isOwn({ id, scopes, tenant }: Principal, { tenants }: Owner, row: StoredReceipt): boolean {
  if (tenants.size !== 1 || !tenants.has(tenant)) return false;
  const run = runOf(row);
  return run !== undefined && run.principal === id && holds(scopes, 'orbs:execute', run.orb_id);
}
