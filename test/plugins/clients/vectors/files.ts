import { join } from 'node:path';
import { problemTable } from '../../../../kernel/problem-table.ts';
import { builtin } from '../../../../plugins/builtin.ts';
import { rowsOf } from '../../../../plugins/clients/retry/rows.ts';
import { packageDir } from '../../../helpers/folder.ts';
import { paging } from './paging.ts';
import { problems } from './problems.ts';
import { changes, documents, keySets, mutations, receiptCases } from './receipts.ts';
import { approvals } from './approvals.ts';
import { scripts } from './scripts.ts';
import { streams } from './streams.ts';
import { webhooks } from './webhooks.ts';

/** Where the vectors are. */
export const vectorsFolder = join(packageDir, 'plugins/clients/vectors');

/** The retry table that all clients read. */
export const retryFile = join(packageDir, 'plugins/clients/retry/retry.json');

/** The shapes of statements that all verifiers read. */
export const statementsFile = join(packageDir, 'plugins/clients/statements.json');

/** Limits of tries and waits, ms unless their names say otherwise. */
const limits = {
  tries: 4,
  first_ms: 500,
  longest_ms: 8000,
  jitter: 0.25,
  retry_after_ms: 60_000,
  last_look_ms: 2000,
  longest_wait_s: 30,
};

/** What the end of a run means, for a problem that a client does not know. */
const ends = {
  cancelled: 'failed',
  completed: 'unverified',
  denied: 'denied',
  failed: 'failed',
  indeterminate: 'unknown',
  timed_out: 'failed',
};

/** Makes the retry table from the problems of the program. */
export function retryTable(): object {
  return {
    note: 'Made from the problem table by test/plugins/clients/vectors.test.ts; `retry`: never | same_key | after',
    limits,
    ends,
    problems: rowsOf(problemTable(builtin.plugins).values()),
  };
}

/** Makes the vectors, by the name of their file. */
export function vectorFiles(): Readonly<Record<string, object>> {
  return {
    receipts: { key_sets: keySets, documents, cases: receiptCases() },
    mutations,
    changes: { cases: changes },
    problems: { cases: problems },
    streams: { cases: streams },
    webhooks: { cases: webhooks },
    paging: { cases: paging },
    scripts: { cases: scripts },
    approvals: { cases: approvals },
  };
}
