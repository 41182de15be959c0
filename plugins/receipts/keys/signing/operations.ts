import type { Awaitable, NodeIdentity, WriteContext, WriterScope } from '../../../../kernel/index.ts';
import { refuseMisfit, type Appended, type ToAppend } from '../../issue/append-receipt.ts';
import { preAuthentication } from '../../format/dsse.ts';
import { manifestType } from '../../format/names.ts';
import type { KeyChanged } from '../key-schema.ts';
import type { Signer } from '../../issue/signer.ts';
import { admitRevocation, type Change, type KeyChange } from './change.ts';
import { endLog, issueAdopted, logsLeftBy, type EndedLog } from './freeze.ts';
import type { Signing } from './signing.ts';

/** The topic under which nodes tell each other of changes of keys and logs. */
export const signingKeys = 'signing-keys';

// Keys and logs are changed by one process at a time.
const signingGuard = 'signing';

/** Makes the operations that add entries to the log. The first one opens it, where the store is shared. */
export function signingOperations(signing: Signing, { node }: Pick<WriterScope, 'node'>) {
  const openLog = (write: WriteContext): Promise<void> => {
    write.guard(signingGuard);
    write.tell(signingKeys, node.name);
    return signing.openLog();
  };
  return {
    /** Accepts a statement to be attested; it gets its position in the chain and its signature before the commit. */
    append(fact: ToAppend, write: WriteContext): Awaitable<Appended> {
      refuseMisfit(fact, (kid) => signing.isOurs(kid));
      const appended = { receipt_id: fact.receipt_id, signature_valid: false, sequence: 0, digest: '', index: 0 };
      write.defer({ fact, appended } satisfies Item);
      const preparing = signing.isOpen ? signing.prepare(fact) : openLog(write).then(() => signing.prepare(fact));
      return preparing instanceof Promise ? preparing.then(() => appended) : appended;
    },
    /** Rotates or revokes a signing key; a receipt of its own attests the change. */
    async changeKey(change: KeyChange, write: WriteContext): Promise<KeyChanged> {
      if (signing.isOpen) write.guard(signingGuard);
      else await openLog(write);
      write.tell(signingKeys, change.change);
      if (change.change === 'revoke') await admitRevocation(change, signing.parts);
      const role = change.change === 'rotate' ? change.role : 'receipt';
      const changed = { role, kid: '', receipt_id: '', position: { origin: '', index: 0 } };
      write.defer({ change, changed } satisfies Item);
      return changed;
    },
    /**
     * Freezes the log of a process that has ended; an entry of this process's log holds its last checkpoint. Answers the
     * origins that were frozen: none when that is done already.
     */
    async freeze(ended: NodeIdentity, write: WriteContext): Promise<readonly string[]> {
      write.guard(signingGuard);
      if (ended.incarnation === node.incarnation) throw new Error('a process cannot freeze its own log');
      // What an earlier start of this node left ends when the log of this one opens.
      const rows = ended.name === node.name ? [] : await logsLeftBy(ended, signing.parts);
      if (rows.length === 0) return [];
      if (!signing.isOpen) await openLog(write);
      write.tell(signingKeys, ended.name);
      for (const row of rows) write.defer({ ended: await endLog(row, signing.parts) } satisfies Item);
      return rows.map(({ origin }) => origin);
    },
    /** Takes the keys that other nodes have changed, and writes all public keys down in the state dir. */
    async learnKeys(_: object): Promise<void> {
      await signing.learn();
    },
    /** Signs with the certificate key, and verifies with its public half. */
    signCertificate({ message }: { readonly message: Uint8Array }): { kid: string; signature: Uint8Array } {
      const { kid, signVerified } = signing.held.certificate;
      return { kid, signature: signVerified(message) };
    },
    /** Signs a manifest of files with the receipt key, and verifies with its public half. */
    async signManifest({ manifest }: { readonly manifest: Uint8Array }, write: WriteContext) {
      if (!signing.isOpen) await openLog(write);
      return signManifest(manifest, signing.held.signer);
    },
  };
}

// The media type is none of a receipt, so that no such signature is one of a statement.
function signManifest(manifest: Uint8Array, { kid, signVerified }: Signer): { kid: string; signature: Uint8Array } {
  return { kid, signature: signVerified(preAuthentication(manifestType, manifest)) };
}

type Item = { readonly fact: ToAppend; readonly appended: Appended } | { readonly ended: EndedLog } | Change;

/** Makes what the committer calls around a batch: receipts are issued and changes of keys made before its commit. */
export function signingBatches(signing: Signing) {
  const changeAll = async (changes: readonly Change[]): Promise<void> => {
    for (const change of changes) await signing.change(change);
  };
  const seal = (items: readonly Item[]): void => {
    signing.seal();
    // Valid for all: the checkpoint over the new log was signed twice alike, otherwise nothing commits.
    for (const item of items) if ('fact' in item) item.appended.signature_valid = true;
  };
  return {
    async open(write: Pick<WriteContext, 'guard'>): Promise<void> {
      // Of several processes that start at once, one makes the keys.
      write.guard(signingGuard);
      await signing.open();
    },
    beforeCommit(items: readonly object[]): Awaitable<void> {
      // Only `append` and `changeKey` defer.
      const all = items as readonly Item[];
      for (const item of all) if ('fact' in item) signing.issue(item.fact, item.appended);
      for (const item of all) if ('ended' in item) issueAdopted(item.ended, signing.keys, signing.parts);
      const changes = all.filter((item) => 'change' in item);
      return changes.length === 0 ? seal(all) : changeAll(changes).then(() => seal(all));
    },
    committed: () => signing.settle(),
    reload: () => signing.reload(),
    wentBack: () => signing.wentBack(),
  };
}
