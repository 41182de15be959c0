import { apiCommand, listing, pageOptions } from '../../../kernel/index.ts';

interface Page {
  readonly receipts: readonly {
    readonly receipt_id: string;
    readonly kind: string;
    readonly timestamp: string;
    readonly status?: string;
    readonly orb_id?: string;
    readonly run_id?: string;
    readonly trust_score?: number;
    readonly risk_level?: string;
  }[];
}

/** `orb receipts list`: lists receipts, newest first. */
export const listCommand = apiCommand<Page>({
  path: 'receipts list',
  summary: 'list receipts, newest first',
  options: [
    { flag: '--orb <orb_id>', description: 'those of an Orb' },
    { flag: '--orbiset <id>', description: 'those of an Orbiset' },
    { flag: '--status <status>', description: 'those of runs with this status' },
    { flag: '--from <time>', description: 'not before this time, RFC 3339' },
    { flag: '--to <time>', description: 'before this time, RFC 3339' },
    ...pageOptions,
  ],
  method: 'GET',
  route: '/receipts',
  query: {
    ...{ orb: 'orb', orbiset: 'orbiset', status: 'status', from: 'from', to: 'to' },
    ...{ limit: 'limit', cursor: 'cursor' },
  },
  show: ({ receipts }) =>
    listing(
      ['RECEIPT_ID', 'KIND', 'TIME', 'STATUS', 'ORB', 'RUN_ID', 'TRUST', 'RISK'],
      receipts.map(({ receipt_id, kind, timestamp, status, orb_id, run_id, trust_score, risk_level }) => [
        ...[receipt_id, kind, timestamp, status ?? '-', orb_id ?? '-', run_id ?? '-'],
        ...[String(trust_score ?? '-'), risk_level ?? '-'],
      ]),
    ),
});
