import type { FactOwner } from './format/fact-kind.ts';
import {
  ConfigError,
  definePlugin,
  operation,
  whenKnown,
  type Awaitable,
  type PluginScope,
  type Route,
  type Infer,
  type Metrics,
  type Store,
  grouped,
} from '../../kernel/index.ts';
import { exportCommand } from './commands/export.ts';
import { fsckCommand } from './commands/fsck.ts';
import { getCommand } from './commands/get.ts';
import { eraseCommand, listCommand, showCommand, signingKeyCommands } from './commands/api.ts';
import { verifyCommand } from './commands/verify.ts';
import { RunningAuditor } from './audit/auditor.ts';
import { createAnnouncer, createGrowth, createIssuing } from './issue/attestation/issuing.ts';
import { createCommit } from './format/commitment.ts';
import { pages, type Pages } from '../pages/contract.ts';
import { certificateSigner, receiptArchive, receiptAuditor, receiptDocuments, transparencyLog } from './contract.ts';
import { checkpointFile, copyCheckpoints } from './log/stored/checkpoint-file.ts';
import { restoredFile } from './log/stored/restored.ts';
import { receiptsKeeps } from './keeps.ts';
import { keyFile } from './verifier/trust-store/key-file.ts';
import { seenFile } from './verifier/trust-store/seen-file.ts';
import { eraseRegularly, eraseRoute } from './read/erasure.ts';
import { createReceiptArchive } from './export/archive.ts';
import { exportRoute } from './export/route.ts';
import { reasonFinder } from './issue/attestation/reason.ts';
import { SentShapes } from './issue/split-statement.ts';
import { savedPage, verifyRoutes } from './page/route.ts';
import { failingReceipts } from './audit/concern.ts';
import { createAttestedLog } from './log/stored/attested.ts';
import { attemptsOf } from './read/attempts.ts';
import { createReader, readingScopes } from './read/reader.ts';
import { routes } from './read/routes.ts';
import { keyRoutes } from './keys/service/routes.ts';
import type { KeyChanged } from './keys/key-schema.ts';
import { kindFaults, strangeScopes } from './kinds/faults.ts';
import { factsFile, knownFacts } from './kinds/facts-file.ts';
import { kindsWith } from './kinds/kind.ts';
import { createCertificateSigner, createKeyState, type KeyState } from './keys/service/state.ts';
import { signingKeys } from './keys/signing/operations.ts';
import receiptsStore, { type ServedReads } from './store.ts';
import { createTransparencyLog } from './log/stored/transparency-log.ts';
import { createLargeVerifier } from './verify-service/thread.ts';
import { problems } from './problems.ts';
import { attestedLog, receiptCheck, runAttempts, runFailure, runtime } from '../runtime/contract.ts';

// Of a kind that a plugin declares the kernel knows the name; `kindFaults` checks the rest.
const ownersOf = ({ facts }: Pick<Scope, 'facts'>): readonly FactOwner[] => facts as readonly FactOwner[];

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
    receiptArchive,
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
  requires: { runtime },
  async start(scope) {
    const owners = ownersOf(scope);
    const faults = kindFaults(owners);
    if (faults.length > 0) throw new ConfigError(faults);
    for (const strange of strangeScopes(owners, scope.scopes))
      scope.log.warn({ strange }, 'facts of a plugin name a scope that does not exist, so no key can read them');
    const parts = await open(scope);
    const { appends, auditor, copy, keys, kinds, lists, reader, reads, stopIssuing, verifier } = parts;
    const stopErasing = eraseRegularly(scope);
    scope.services.runtime.concern(failingReceipts(auditor.service));
    const verifies = async (receiptId: string): Promise<boolean> =>
      (await reader.find(receiptId))?.document.signature_valid ?? false;
    return {
      services: {
        attestedLog: createAttestedLog({ reads, lists, kinds, onAppend: appends.listen }),
        receiptCheck: verifies,
        runAttempts: (receiptId) => whenKnown(reads.findReceipt(receiptId), attemptsOf),
        runFailure: reasonFinder(reads, scope.store.sealer, scope.log),
        transparencyLog: createTransparencyLog(reads, verifies, appends.listen),
        certificateSigner: createCertificateSigner(scope.store, keys),
        receiptAuditor: auditor.service,
        receiptArchive: archiveOf(scope, parts),
        receiptDocuments: { find: async (...asked) => (await reader.seen(...asked))?.document },
      },
      routes: routesOf(scope, parts),
      async stop() {
        stopErasing();
        stopIssuing();
        await verifier.stop();
        await auditor.close();
        await copy.close();
      },
    };
  },
});

type Scope = Omit<PluginScope<Infer<typeof config>, Record<never, never>>, 'services'> & {
  readonly services: { readonly pages?: Pages };
};

/** The parts in use while the plugin runs. */
type Parts = Awaited<ReturnType<typeof open>>;

async function open({ clock, log, stateDir, store, version, ...scope }: Scope) {
  const { installation, shared } = store;
  const node = { ...store.node, shared };
  const reads = store.reads(receiptsStore);
  const facts = await knownFacts(ownersOf(scope), stateDir, reads.hasKind);
  const keys = await createKeyState(reads, { installation, node, version }, facts.all);
  const kinds = kindsWith(facts.all);
  const lists = store.awaitedReads(receiptsStore);
  const serving = { clock, facts, ids: scope.ids, keys, kinds, lists, log, reads, store };
  const failed = (err: unknown): void =>
    log.warn({ err }, 'the newest checkpoint could not be copied to the state dir');
  const copy = copyCheckpoints(stateDir, () => reads.ownNote(node), failed);
  copy.moved();
  const appends = createAnnouncer((err) => log.error({ err }, 'a listener of the receipt log failed'));
  const left = { failing: await reads.failing(), places: await reads.auditPlaces() };
  const auditor = new RunningAuditor({ ...serving, facts: facts.all, left });
  appends.listen(() => auditor.grew());
  appends.listen(copy.moved);
  const { moved, stop: stopReading } = createGrowth({ keys, log, grew: appends.grew });
  followPeers(store, keys, moved);
  const { reasons_days: reasonsDays } = scope.config.retention;
  const attesting = {
    ...serving,
    commit: createCommit(),
    shapes: new SentShapes(),
    reasonsDays,
    receiptsOfRun: reads.receiptsOfRun,
  };
  const issuing = createIssuing(attesting, moved);
  scope.hooks.attest.tap('receipts', issuing.attest);
  scope.health(() => (issuing.health().health === 'up' ? auditor.health() : issuing.health()));
  const stopIssuing = (): void => (issuing.stop(), stopReading());
  const reader = createReader(reads, keys, auditor);
  const verifier = createLargeVerifier(keys.trust);
  return { ...serving, serving, copy, appends, auditor, moved, reader, verifier, stopIssuing };
}

/** Follows what other nodes change, and freezes the logs of those that have died. */
function followPeers({ peers, write }: Store, keys: KeyState, moved: () => Awaitable<void>): void {
  const learn = async (): Promise<void> => {
    await write([operation(receiptsStore, 'learnKeys', {})]);
    await keys.refresh();
  };
  peers.follow(signingKeys, learn);
  peers.onAdopted(async ({ clean, incarnation, name }) => {
    // A node that left goes on with its log when it comes back.
    if (clean) return;
    await write([operation(receiptsStore, 'freeze', { name, incarnation })]);
    await learn();
    await moved();
  });
}

function archiveOf({ services: { pages: shown }, store }: Scope, { facts, keys, serving }: Parts) {
  const data = () => ({ keys: keys.published, facts: facts.all, installation: store.installation });
  return createReceiptArchive({ ...serving, store }, () => savedPage(shown, data));
}

function routesOf(scope: Scope, { auditor, facts, keys, kinds, moved, reader, serving, verifier }: Parts): Route[] {
  const count = registerMeasures(scope.metrics, serving.reads, auditor);
  const followed = async (changed: KeyChanged): Promise<void> => {
    await keys.refresh();
    count(changed);
    await moved();
  };
  const { installation } = scope.store;
  return [
    ...routes(serving, { reader, verifier, scopes: readingScopes(scope.scopes, kinds) }),
    eraseRoute(scope, reader),
    ...keyRoutes(keys, scope.store, followed),
    exportRoute(serving),
    ...verifyRoutes(scope.services.pages, () => ({ keys: keys.published, facts: facts.all, installation })),
  ];
}

// Registers the metrics of receipts; answers the function that counts changes of the signing keys.
function registerMeasures(metrics: Metrics, reads: ServedReads, auditor: RunningAuditor) {
  metrics.collect('orb_receipts_log_entries', 'Number of log entries, by shard', 'gauge', async () =>
    (await reads.logs()).map(({ shard, size }) => ({ labels: { shard }, value: size })),
  );
  metrics.collect('orb_receipts_audited_total', 'Number of receipts that the auditor verified', 'counter', () => [
    { labels: {}, value: auditor.verified() },
  ]);
  metrics.gauge('orb_receipts_audit_behind', 'Number of receipts that the auditor has not verified yet', () =>
    auditor.behind(),
  );
  const failing = (): number => auditor.service.failing().length;
  metrics.gauge('orb_receipts_failing', 'Number of receipts that fail verification', failing);
  const changes = metrics.counter('orb_signing_key_changes_total', 'Changes of signing keys', ['role', 'change']);
  return ({ role, successor_kid }: KeyChanged): void =>
    changes.inc({ role, change: successor_kid === undefined ? 'rotated' : 'revoked' });
}
