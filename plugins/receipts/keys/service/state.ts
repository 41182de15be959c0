import { digest, given, operation, type Store } from '../../../../kernel/index.ts';
import type { FactKind } from '../../format/fact-kind.ts';
import { logOrigin, type CertificateSigner } from '../../contract.ts';
import receiptsStore, { type ServedReads } from '../../store.ts';
import { keySet, type KeySet, type PublicKey } from '../../format/jwk.ts';
import { keysOf } from '../key-tables.ts';
import { ownShard, type Owner } from '../../log/stored/own-shard.ts';
import type { Issuer } from '../../issue/run-draft.ts';
import { trustOf, type Trust } from '../../verifier/trust.ts';

/** The keys in the main thread. Its members change with every change of keys; a reference to it is never outdated. */
export type KeyState = Awaited<ReturnType<typeof createKeyState>>;

/** The process that owns the keys. */
type Serving = Pick<Issuer, 'installation' | 'version'> & { readonly node: Owner };

/** Reads the keys of the store, as this process signs with them. */
export async function createKeyState(
  reads: Pick<ServedReads, 'keyState'>,
  process: Serving,
  facts: readonly FactKind[] = [],
) {
  let now = stateOf(await reads.keyState(), process);
  let asked = 0;
  let latest = Promise.resolve();
  const read = async (turn: number): Promise<void> => {
    const found = await reads.keyState();
    // Of two overlapping reads, the later one counts, and callers of the earlier one wait for it.
    if (turn === asked) now = stateOf(found, process);
    else await latest;
  };
  return Object.freeze({
    /** The current issuer. */
    get issuer(): Issuer {
      return now.issuer;
    },
    /** Whether this process has a log: where the store is shared, it has one from its first entry on. */
    get hasLog(): boolean {
      return now.hasLog;
    },
    /** The trust used for verifying. */
    trust: Object.freeze<Trust>({
      facts,
      get keys() {
        return now.trust.keys;
      },
      get policy() {
        return now.trust.policy ?? { logs: [], witnesses: new Map(), groups: new Map() };
      },
    }),
    /** The published keys. */
    published: Object.freeze<KeySet>({
      get keys() {
        return now.published.keys;
      },
    }),
    keys: (): readonly PublicKey[] => now.keys,
    /** Digest of the whole state: a verification under one version is not reused under another. */
    version: () => now.version,
    /** Reads the committed keys again. */
    refresh: (): Promise<void> => (latest = read(++asked)),
  });
}

function stateOf({ keys, logs, owners }: Awaited<ReturnType<ServedReads['keyState']>>, process: Serving) {
  const { installation, node, version } = process;
  const [key] = keysOf('receipt', keys, node.name);
  if (key === undefined) throw new Error('the store has no active receipt key');
  const log = ownShard({ logs: () => logs, owners: () => owners }, node);
  if (log === undefined && !node.shared) throw new Error(`the store has no log of the node ${node.name}`);
  const published = keySet(keys);
  return {
    keys,
    published,
    hasLog: log !== undefined,
    // The writer puts the name of the log in the place of this one, when it opens it.
    issuer: Object.freeze({ installation, version, kid: key.kid, origin: log?.origin ?? logOrigin(installation) }),
    trust: trustOf(published.keys),
    version: digest(JSON.stringify(published)),
  };
}

function certificateKey({ kid, public_key, revoked_at, role, since, stands, status }: PublicKey) {
  return role === 'certificate' && since !== undefined
    ? [{ kid, public_key, status, since, ...given({ revoked_at, stands }) }]
    : [];
}

/** Makes the service that signs certificates; the key stays in the writer thread. */
export function createCertificateSigner(store: Pick<Store, 'write'>, state: KeyState): CertificateSigner {
  let known: readonly PublicKey[] | undefined;
  let shown: ReturnType<CertificateSigner['keys']> = [];
  return Object.freeze({
    // This runs after each entry of the log, so keep the result until the keys are read again.
    keys() {
      const keys = state.keys();
      if (keys !== known) [known, shown] = [keys, keys.flatMap(certificateKey)];
      return shown;
    },
    async sign(message: Uint8Array) {
      const [signed] = await store.write([operation(receiptsStore, 'signCertificate', { message })]);
      return signed;
    },
  } satisfies CertificateSigner);
}
