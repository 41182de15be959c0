import type { Batch } from '../../../kernel/store/message.ts';
import { createIds } from '../../../kernel/tools/id.ts';
import { createCommit } from '../../../plugins/receipts/format/commitment.ts';
import { draftRun, type Issuer } from '../../../plugins/receipts/issue/run-draft.ts';
import type { ToAppend } from '../../../plugins/receipts/issue/append-receipt.ts';
import { splitStatement } from '../../../plugins/receipts/issue/split-statement.ts';
import type { EngineStore } from '../../helpers/stores/engines.ts';
import { newRun } from './harness.ts';

const names = [
  'append',
  'changeKey',
  'freeze',
  'learnKeys',
  'signCertificate',
  'signManifest',
  'audited',
  'keepValue',
  'probe',
  'eraseValues',
] as const;
type Name = (typeof names)[number];
type Write = readonly [Name, unknown];

/** Makes a batch of writes with one operation each. */
export const batchOf = (...writes: readonly Write[]): Batch => ({
  ...{ kind: 'batch', at: 0, sizes: writes.map(() => 1) },
  codes: writes.map(([name]) => names.indexOf(name)),
  args: writes.map(([, args]) => args),
});

const ids = createIds({ now: () => Date.UTC(2026, 10, 21), monotonic: () => 0 });
const commit = createCommit();

/** A run to be attested, of one of some Orbisets. */
export function fact(issuer: Issuer, orbiset: number): Write {
  const { draft } = draftRun(newRun(`ost_${orbiset}`), ids('rec'), issuer, commit);
  const { parts, values } = splitStatement(draft);
  const toAppend: ToAppend = {
    ...{
      kind: 'run',
      statement: { shape: parts.join(''), values },
      receipt_id: draft.receipt_id,
      run_id: draft.run_id,
    },
    ...{ tenant: draft.tenant, orbiset_id: draft.orbiset_id, orb_id: draft.orb_id, status: draft.status },
    ...{ origin: draft.log.origin, timestamp: draft.finished_at, kid: draft.issuer.kid },
    ...{ trust_score: draft.score.trust_score, risk_level: draft.score.risk_level },
  };
  return ['append', toAppend];
}

/** Reads who issues receipts now. */
export async function issuerOf(store: EngineStore): Promise<Issuer> {
  const keys = await store.rows(
    `SELECT kid, node FROM receipts_signing_keys WHERE role = 'receipt' AND status = 'active'`,
  );
  const key = keys.find(({ node }) => node === store.node.name) ?? keys[0];
  const [log] = await store.rows(`SELECT origin FROM receipts_logs WHERE status = 'active' ORDER BY log DESC`);
  const origin = String(log?.['origin']);
  return { installation: origin.slice(0, origin.indexOf('.')), version: '0.1.0', kid: String(key?.['kid']), origin };
}
