import {
  ConfigError,
  definePlugin,
  operation,
  attestedLog,
  receiptCheck,
  runAttempts,
  runFailure,
  whenKnown,
  type Awaitable,
  type PluginScope,
  type Route,
  type Infer,
  type Metrics,
  grouped,
} from '../../kernel/index.ts';
import { exportCommand } from './commands/export.ts';
import { fsckCommand } from './commands/fsck.ts';
import { getCommand } from './commands/get.ts';
import { eraseCommand, listCommand, showCommand, signingKeyCommands } from './commands/api.ts';
import { verifyCommand } from './commands/verify.ts';
import { RunningAuditor } from './audit/auditor.ts';
import { eraseRegularly } from './erase-values.ts';
import { createAnnouncer } from './issue/listeners.ts';
import { createCommit } from './format/commitment.ts';
import { pages } from '../pages/contract.ts';
import { certificateSigner, receiptAuditor, receiptDocuments, transparencyLog } from './contract.ts';
import { checkpointFile, copyCheckpoints } from './log/stored/checkpoint-file.ts';
import { restoredFile } from './log/stored/restored.ts';
import { receiptsKeeps } from './keeps.ts';
import { keyFile } from './format/key-file.ts';
import { seenFile } from './commands/seen-file.ts';
import { discloser } from './read/disclose.ts';
import { eraseRoute } from './read/erase-route.ts';
import { exportRoute } from './export/route.ts';
import { createIssuing } from './issue/issuing.ts';
import { reasonFinder } from './issue/reason.ts';
import { createGrowth } from './issue/log-grew.ts';
import { verifyRoutes } from './page/route.ts';
import { failingReceipts } from './audit/concern.ts';
import { createAttestedLog } from './read/attested.ts';
import { attemptsOf } from './read/attempts.ts';
import { createReader, readingScopes } from './read/reader.ts';
import { routes } from './read/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import type { KeyChanged } from './keys/key-schema.ts';
import { kindFaults, strangeScopes } from './kinds/faults.ts';
import { factsFile, knownFacts } from './kinds/facts-file.ts';
import { kindsWith } from './kinds/kind.ts';
import { createCertificateSigner, createKeyState, type KeyState } from './keys/state.ts';
import receiptsStore, { signingKeys, type ServedReads } from './store.ts';
import { createTransparencyLog } from './log/stored/transparency-log.ts';
import { createLargeVerifier } from './verify-service/thread.ts';
import { problems } from './problems.ts';

const config = {
  type: 'object',
  additionalProperties: false,
  properties: {
    retention: {
      type: 'object',
      additionalProperties: false,
      default: {},
      description: 'What is kept about runs in addition to their receipts',
      properties: {
        reasons_days: {
          type: 'integer',
          minimum: 0,
          maximum: 36_500,
          default: 30,
          description: 'How many days the reason of a failed run is kept, sealed. 0: it is not kept',
        },
      },
    },
  },
} as const;

/** Attests facts: signed receipts in a chain per Orbiset, verified on issue and on every read. */
export default definePlugin({
  name: 'receipts',
  config,
  problems,
  scopes: {
    'receipts:read': { title: "Read the tenant's receipts" },
    'signing-keys:manage': { title: 'Rotate and revoke the signing keys', installation: true, keyAgain: true },
    'receipts:disclose': { title: 'Read the kept inputs and outputs of runs, together with `receipts:read`' },
    'receipts:erase': { title: 'Erase what is kept of runs before its time, together with `receipts:read`' },
  },
  uses: { pages },
  provides: {
    attestedLog,
    receiptCheck,
    runAttempts,
    runFailure,
    transparencyLog,
    certificateSigner,
    receiptAuditor,
    receiptDocuments,
  },
  commands: grouped(
    [
      { name: 'receipts', task: 'verify', summary: 'show, verify and export receipts' },
      { name: 'log', task: 'verify', summary: 'check the receipt log' },
      { name: 'signing-keys', task: 'verify', summary: 'list, rotate and revoke signing keys' },
    ],
    [
      ...[listCommand, showCommand, getCommand, eraseCommand, verifyCommand, fsckCommand, exportCommand],
      ...signingKeyCommands,
    ],
  ),
  backup: {
    copied: [keyFile, factsFile],
    aside: [checkpointFile, seenFile],
    mark: restoredFile,
    // A backup of a log whose stolen key is revoked is as good as its store.
    check: 'log fsck --allow-revoked',
  },
  keeps: receiptsKeeps,
  store: receiptsStore,
  async start(scope) {
    const faults = kindFaults(scope.facts);
    if (faults.length > 0) throw new ConfigError(faults);
    for (const strange of strangeScopes(scope.facts, scope.scopes))
      scope.log.warn({ strange }, 'facts of a plugin name a scope that does not exist, so no key can read them');
    const parts = await open(scope);
    const { appends, auditor, copy, keys, reads, verifier, stopProbing, verifies } = parts;
    const stopErasing = eraseRegularly(scope);
    scope.concern(failingReceipts(auditor.service));
    return {
      services: {
        attestedLog: attestedOf(parts),
        receiptCheck: verifies,
        runAttempts: (receiptId) => whenKnown(reads.findReceipt(receiptId), attemptsOf),
        runFailure: reasonFinder(reads, scope.store.sealer, scope.log),
        transparencyLog: createTransparencyLog(reads, verifies, (listener) => appends.listen(listener)),
        certificateSigner: createCertificateSigner(scope.store, keys),
        receiptAuditor: auditor.service,
        receiptDocuments: { find: async (...asked) => (await parts.reader.seen(...asked))?.document },
      },
      routes: routesOf(scope, parts),
      async stop() {
        stopErasing();
        stopProbing();
        await verifier.stop();
        await auditor.close();
        await copy.close();
      },
    };
  },
});

type Scope = PluginScope<Infer<typeof config>, Record<never, never>, { readonly pages: typeof pages }>;

function attestedOf({ reads, lists, keys, appends }: Parts) {
  return createAttestedLog({
    ...{ reads, lists, kinds: kindsWith(keys.trust.facts) },
    onAppend: (listener) => appends.listen(listener),
  });
}

/** The parts in use while the plugin runs. */
type Parts = Awaited<ReturnType<typeof open>>;

async function open(scope: Scope) {
  const { installation, shared } = scope.store;
  const node = { ...scope.store.node, shared };
  const reads = scope.store.reads(receiptsStore);
  const lists = scope.store.awaitedReads(receiptsStore);
  const facts = await knownFacts(scope.facts, scope.stateDir, reads.hasKind);
  const keys = await createKeyState(reads, { installation, node, version: scope.version }, facts.all);
  const copy = copyCheckpoints(
    scope.stateDir,
    () => reads.ownNote(node),
    (err) => scope.log.warn({ err }, 'the newest checkpoint could not be copied to the state dir'),
  );
  copy.moved();
  const appends = createAnnouncer((err) => scope.log.error({ err }, 'a listener of the receipt log failed'));
  const left = { failing: await reads.failing(), places: await reads.auditPlaces() };
  const auditor = new RunningAuditor({ ...scope, facts: facts.all, reads, left });
  appends.listen(() => auditor.grew());
  const grew = (): void => {
    copy.moved();
    appends.grew();
  };
  const { moved, stop: stopReading } = createGrowth({ keys, log: scope.log, grew });
  following(scope, keys, moved);
  const stopIssuing = attesting(scope, { keys, reads, auditor, moved });
  const stopProbing = (): void => (stopIssuing(), stopReading());
  const reader = createReader(reads, keys, (document) => auditor.looked(document));
  const verifies = async (receiptId: string): Promise<boolean> =>
    (await reader.find(receiptId))?.document.signature_valid ?? false;
  const verifier = createLargeVerifier(keys.trust);
  return { facts, reads, lists, keys, copy, appends, auditor, moved, reader, verifier, verifies, stopProbing };
}

/** Follows what other nodes change, and freezes the logs of those that have died. */
function following({ store }: Scope, keys: KeyState, moved: () => Awaitable<void>): void {
  const learn = async (): Promise<void> => {
    await store.write([operation(receiptsStore, 'learnKeys', {})]);
    await keys.refresh();
  };
  store.peers.onChange(signingKeys, learn);
  store.peers.onAdopted(async ({ clean, incarnation, name }) => {
    // A node that left goes on with its log when it comes back.
    if (clean) return;
    await store.write([operation(receiptsStore, 'freeze', { name, incarnation })]);
    await learn();
    await moved();
  });
}

function attesting(
  scope: Scope,
  {
    auditor,
    keys,
    moved,
    reads,
  }: { keys: KeyState; reads: ServedReads; auditor: RunningAuditor; moved: () => Awaitable<void> },
): () => void {
  const issuing = createIssuing(
    {
      store: scope.store,
      issuer: () => keys.issuer,
      commit: createCommit(),
      kinds: kindsWith(keys.trust.facts),
      clock: scope.clock,
      reasonsDays: scope.config.retention.reasons_days,
      receiptsOfRun: (runId) => reads.receiptsOfRun(runId),
      newReceiptId: () => scope.ids('rec'),
    },
    moved,
    scope.log,
  );
  scope.hooks.attest.tap('receipts', issuing.attest);
  scope.health(() => worse(issuing.health(), auditor.health()));
  return issuing.stop;
}

function routesOf(scope: Scope, { auditor, facts, keys, lists, moved, reader, reads, verifier }: Parts): Route[] {
  const { published, trust } = keys;
  const { installation } = scope.store;
  const count = registerMeasures(scope.metrics, reads, auditor);
  const followed = async (changed: KeyChanged): Promise<void> => {
    await keys.refresh();
    count(changed);
    await moved();
  };
  return [
    ...routes({
      ...{
        reads,
        lists,
        reader,
        trust,
        verifier,
        keys: published,
        scopes: readingScopes(scope.scopes, kindsWith(trust.facts)),
      },
      disclose: discloser(reads, scope.store.sealer, scope.log),
    }),
    eraseRoute({ reader, store: scope.store, log: scope.log }),
    ...keyRoutes(keys, scope.store, followed),
    exportRoute({
      ...{ reads, lists, facts, installation },
      keys: () => published,
      now: () => scope.clock.now(),
    }),
    ...verifyRoutes(scope.services.pages, () => ({ keys: published, facts: facts.all, installation })),
  ];
}

function worse<H extends { readonly health: string }>(signer: H, auditor: H): H {
  return signer.health === 'up' ? auditor : signer;
}

// Registers the metrics of receipts; answers the function that counts changes of the signing keys.
function registerMeasures(
  metrics: Metrics,
  reads: Pick<ServedReads, 'logs'>,
  auditor: Pick<RunningAuditor, 'behind' | 'service' | 'verified'>,
): (changed: KeyChanged) => void {
  metrics.collect('orb_receipts_log_entries', 'Number of log entries, by shard', 'gauge', async () =>
    (await reads.logs()).map(({ shard, size }) => ({ labels: { shard }, value: size })),
  );
  metrics.collect('orb_receipts_audited_total', 'Number of receipts that the auditor verified', 'counter', () => [
    { labels: {}, value: auditor.verified() },
  ]);
  metrics.gauge('orb_receipts_audit_behind', 'Number of receipts that the auditor has not verified yet', () =>
    auditor.behind(),
  );
  metrics.gauge(
    'orb_receipts_failing',
    'Number of receipts that fail verification',
    () => auditor.service.failing().length,
  );
  const changes = metrics.counter('orb_signing_key_changes_total', 'Changes of signing keys', ['role', 'change']);
  return ({ role, successor_kid }) =>
    changes.inc({ role, change: successor_kid === undefined ? 'rotated' : 'revoked' });
}
