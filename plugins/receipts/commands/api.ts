import { defineCommand, given, type Command, type CommandCall } from '../../../kernel/index.ts';
import {
  apiCommand,
  listing,
  pageOptions,
  record,
  optionsOf,
  scoreLine,
  type ScoredReceipt,
} from '../../terminal/contract.ts';
import type { Position } from '../format/jwk.ts';
import { filters } from './export.ts';
import type { KeyChanged, ListedKey } from '../keys/key-schema.ts';
import type { ListedReceipt } from '../log/rows/filter.ts';

/** `orb receipts list`: lists receipts, newest first. */
export const listCommand = apiCommand<{ readonly receipts: readonly ListedReceipt[] }>({
  path: 'receipts list',
  summary: 'list receipts, newest first',
  options: [filters.orb, filters.orbiset, filters.status, filters.from, filters.to, ...pageOptions],
  route: 'GET /receipts',
  show: ({ receipts }) =>
    listing(
      ['RECEIPT_ID', 'KIND', 'TIME', 'STATUS', 'ORB', 'RUN_ID', 'TRUST', 'RISK'],
      receipts.map(({ receipt_id, kind, timestamp, status, orb_id, run_id, trust_score, risk_level }) => [
        ...[receipt_id, kind, timestamp, status ?? '-', orb_id ?? '-', run_id ?? '-'],
        ...[String(trust_score ?? '-'), risk_level ?? '-'],
      ]),
    ),
});

const receiptId = { name: 'receipt_id', description: '`rec_…`, as `orb receipts list` shows it' };

/** `orb receipts erase`: erases what is kept of a run before its time. */
export const eraseCommand = apiCommand<{ readonly erased: number }>({
  path: 'receipts erase',
  summary: 'erase the kept inputs, outputs and failure reason of a run; its receipt stays valid',
  confirm: 'the kept inputs, outputs and failure reason of the run are erased',
  args: [receiptId],
  route: 'DELETE /receipts/{receipt_id}/values',
  show: ({ erased }, { args: [id = ''] }) => `${id}: ${erased} ${erased === 1 ? 'value is' : 'values are'} erased`,
});

interface ShownReceipt extends ScoredReceipt {
  readonly timestamp: string;
  readonly signature_valid: boolean;
  readonly statement?: { readonly predicate: Readonly<Record<string, unknown>> & ScoredPredicate };
}

type ScoredPredicate = NonNullable<ScoredReceipt['statement']>['predicate'];

/** `orb receipts show`: shows a receipt in words; `receipts get` prints what is verified offline. */
export const showCommand = apiCommand<ShownReceipt>({
  path: 'receipts show',
  summary: 'show a receipt: its run, its score with the reasons, and whether it verifies',
  args: [receiptId],
  route: 'GET /receipts/{receipt_id}',
  show: (receipt) => {
    const { receipt_id, timestamp, risk_level, effective, signature_valid, statement } = receipt;
    const { run_id, orb_id, status, reason } = statement?.predicate ?? {};
    const shown = {
      ...{ receipt_id, run_id, orb_id, status, reason, timestamp, trust_score: scoreLine(receipt) },
      ...{ risk_level: effective?.risk_level ?? risk_level, signature_valid: signature_valid ? 'yes' : 'no' },
    };
    return record(Object.entries(shown).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
  },
});

/** Commands `orb signing-keys …`. */
export const signingKeyCommands: readonly Command[] = [
  apiCommand<{ readonly keys: readonly ListedKey[] }>({
    path: 'signing-keys list',
    summary: 'list the keys that sign receipts, checkpoints and certificates',
    route: 'GET /signing-keys',
    show: ({ keys }) => listing(['KID', 'ROLE', 'STATUS', 'CREATED', 'LOG'], keys.map(rowOf)),
  }),
  apiCommand<KeyChanged>({
    path: 'signing-keys rotate',
    summary: 'replace a signing key without downtime; a new log key opens a new shard of the log',
    args: [{ name: 'role', description: 'receipt, log or certificate' }],
    options: [{ flag: '--reason <text>', description: 'the reason; public, in the log' }],
    route: 'POST /signing-keys/rotate',
    body: ({ args: [role = ''], options: { reason } }) => given({ role, reason }),
    show: ({ role, kid, previous_kid = '', origin }) => {
      const where = origin === undefined ? '' : `; the log continues as ${origin}`;
      return `${role} key ${kid} replaces ${previous_kid}${where}`;
    },
  }),
  defineCommand({
    path: 'signing-keys revoke',
    summary: 'revoke a receipt or certificate key from a position in the log',
    confirm: 'receipts or certificates of the key from this position on are not valid any more',
    args: [{ name: 'kid', description: 'the id, from `orb signing-keys list`' }],
    options: optionsOf({
      '--reason <text>': 'the reason; public, in the log',
      '--from <position>':
        'first position that is not valid, as <origin>@<index> (default: the position of the revocation); for a stolen certificate ' +
        'key use <origin>@0, because a thief can backdate certificates',
    }),
    async run(call) {
      const { reason } = call.options;
      const from = positionOf(call);
      if (typeof reason !== 'string') call.note('--reason is required');
      if (typeof reason !== 'string' || from === 'malformed') return exitUsage;
      const body = given({ reason, from });
      const path = `/signing-keys/${encodeURIComponent(call.args[0] ?? '')}/revoke`;
      const made = await call.client().request<KeyChanged>('POST', path, body);
      const position = `${made.from?.origin ?? ''}@${made.from?.index ?? ''}`;
      const revoked = `${made.role} key ${made.kid} is revoked from ${position} on; ${made.successor_kid ?? ''} signs now.`;
      call.print(made, `${revoked}\n${effects[made.role] ?? ''}`);
      return 0;
    },
  }),
];

const effects: Readonly<Record<string, string>> = {
  receipt: 'Receipts that it signed before that position stay valid; its later receipts are not valid any more.',
  certificate:
    'Certificates that name the log from before that position stay valid; the others are revoked. Each Orb that has a ' +
    'tier gets a new certificate at once. Saved status lists that it signed are not valid any more: save new ones.',
};

// EX_USAGE of sysexits.h.
const exitUsage = 64;

function positionOf({ note, options: { from } }: CommandCall): Position | undefined | 'malformed' {
  if (from === undefined) return undefined;
  const match = typeof from === 'string' ? /^(\S+)@(\d{1,15})$/.exec(from) : null;
  if (match !== null) return { origin: match[1] ?? '', index: Number(match[2]) };
  note('--from is a position of the log: <origin>@<index>');
  return 'malformed';
}

function rowOf({ created_at, kid, origin, revoked_at, role, status }: ListedKey): readonly string[] {
  const fate = revoked_at === undefined ? '' : ` from ${revoked_at.origin}@${revoked_at.index} on`;
  return [kid, role, `${status}${fate}`, created_at, origin ?? '-'];
}
