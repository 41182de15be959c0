import {
  definePlugin,
  operation,
  PlatformError,
  receiptCheck,
  type Attestation,
  type Fact,
  type Health,
  type PluginScope,
} from '../../kernel/index.ts';
import { attest, type AttestScope } from './attest.ts';
import { fsckCommand } from './commands/fsck.ts';
import { getCommand } from './commands/get.ts';
import { verifyCommand } from './commands/verify.ts';
import { createCommit } from './commitment.ts';
import { copyCheckpoints, type CheckpointCopy } from './checkpoint-file.ts';
import { discloser } from './disclose.ts';
import { documentOf } from './document.ts';
import { keySet } from './jwk.ts';
import { routes } from './routes.ts';
import { isActiveReceiptKey } from './key-tables.ts';
import receiptsStore from './store.ts';
import { trustOf } from './verifier/trust.ts';

/** Attests what happened: signed receipts in a chain per Orbiset, verified on issue and on every read. */
export default definePlugin({
  name: 'receipts',
  scopes: {
    'receipts:read': { title: "Read the tenant's receipts" },
    'receipts:disclose': { title: 'See the kept inputs and outputs of runs, with `receipts:read`' },
  },
  provides: { receiptCheck },
  commands: [getCommand, verifyCommand, fsckCommand],
  store: receiptsStore,
  start(scope) {
    const reads = scope.store.reads(receiptsStore);
    const keys = reads.keys();
    const key = keys.find(isActiveReceiptKey);
    if (key === undefined) throw new Error('the store holds no active receipt key');
    const log = reads.logs().at(-1);
    if (log === undefined) throw new Error('the store holds no log');
    const published = keySet(keys);
    const copy = copyCheckpoints(
      scope.stateDir,
      () => reads.newestCheckpoint(log.log)?.note,
      (err) => scope.log.warn({ err }, 'the newest checkpoint could not be copied to the state dir'),
    );
    copy.moved();
    const stage = signing(
      {
        store: scope.store,
        issuer: { installation: scope.store.installation, kid: key.kid, version: scope.version, origin: log.origin },
        commit: createCommit(),
        clock: scope.clock,
        receiptsOfRun: (runId) => reads.receiptsOfRun(runId),
        newReceiptId: () => scope.ids('rec'),
      },
      copy,
    );
    scope.hooks.attest.tap('receipts', stage.attest);
    scope.health(stage.health);
    const stopErasing = eraseRegularly(scope);
    const trust = trustOf(published.keys);
    const verifies = (receiptId: string): boolean => {
      const row = reads.findReceipt(receiptId);
      return row !== undefined && documentOf(row, trust, reads).document.signature_valid;
    };
    return {
      services: { receiptCheck: verifies },
      routes: routes(reads, trust, published, discloser(reads, scope.store.sealer, scope.log)),
      async stop() {
        stopErasing();
        await copy.close();
      },
    };
  },
});

/** The signer as the main thread sees it: healthy until a receipt could not be issued, and again from the next that was. */
function signing(scope: AttestScope, copy: Pick<CheckpointCopy, 'moved'>) {
  let state: { health: Health; reason?: string } = { health: 'up' };
  return {
    health: () => state,
    async attest(fact: Fact): Promise<Attestation> {
      try {
        const receipt = await attest(fact, scope);
        state = { health: 'up' };
        copy.moved();
        return receipt;
      } catch (error) {
        // What an operation of the fact refused says nothing of the signer.
        if (!(error instanceof PlatformError) || error.code === 'internal' || error.code === 'storage_unavailable')
          state = { health: 'down', reason: 'the last receipt could not be issued' };
        throw error;
      }
    },
  };
}

const hourMs = 3_600_000;

// Values are kept for whole days, so an hour more or less is within what was promised.
function eraseRegularly({
  clock,
  log,
  store,
}: Pick<PluginScope<unknown, never>, 'clock' | 'log' | 'store'>): () => void {
  const erase = (): void => {
    store.write([operation(receiptsStore, 'eraseValues', { before: clock.now() })]).catch((error: unknown) => {
      log.warn({ err: error }, 'kept values could not be erased; the next hour tries again');
    });
  };
  const timer = setInterval(erase, hourMs);
  timer.unref();
  erase();
  return () => clearInterval(timer);
}
