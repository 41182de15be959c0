import type { runSchema } from './run-routes.ts';
import type { MaybePromise } from '../../../kernel/runner.ts';
import { ClientError, defineCommand, type Command, type CommandCall, type Infer } from '../../../kernel/index.ts';
import {
  apiCommand,
  listing,
  optionsOf,
  pageOptions,
  painted,
  record,
  scoreLine,
  type ScoredReceipt,
  type Shown,
} from '../../terminal/contract.ts';
import { readFileSync } from 'node:fs';
import type { ExecutionResult } from '../facts/facts.ts';

type ShownRun = Infer<typeof runSchema>;
type Held = ShownRun & { readonly status: 'held' };

const times = '2h (ago), 2026-01-31 (UTC) or RFC 3339';
const runArgument = { name: 'run_id', description: 'run_…, as `orb runs list` shows it' };
const rowsOf = ({ attempts = [], delivery, failure, ...run }: ShownRun): readonly (readonly string[])[] => {
  const tried = attempts.map(({ provider, outcome, reason, latency_ms }) => {
    const said = reason === undefined ? outcome : `${outcome}: ${reason}`;
    return ['attempt', [provider, said, `${latency_ms} ms`].join(', ')];
  });
  const why = failure === undefined ? [] : [['failure', `${failure.message} (${codesOf(failure)})`]];
  const reported =
    delivery === undefined
      ? []
      : [
          [
            'delivery',
            [
              delivery.state,
              delivery.at,
              ...(delivery.conflict === true ? ['reports contradict each other'] : []),
            ].join(', '),
          ],
        ];
  const evidence = (delivery?.evidence ?? []).map((id) => ['evidence', id]);
  return [
    ...Object.entries(run).map(([name, value]) => [name, textOf(value)]),
    ...why,
    ...tried,
    ...reported,
    ...evidence,
  ];
};
const codesOf = ({ code, provider_reason: why }: NonNullable<ShownRun['failure']>): string =>
  why === undefined ? code : `${code}: ${why}`;
const members = (run: ShownRun): Shown => record(rowsOf(run));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Commands `orb runs …`. */
export const runCommands: readonly Command[] = [
  apiCommand<{ readonly runs: readonly ShownRun[] }>({
    path: 'runs list',
    summary: 'list runs, newest first',
    options: [
      ...optionsOf({
        '--status <status>':
          'queued, held, running, completed, failed, timed_out, indeterminate, cancelled or denied; several: failed,denied',
        '--orb <orb_id>': "only runs of this Orb, of all versions of a name, or of a namespace: 'notify.*'",
        '--orbiset <id>': 'only runs of this Orbiset',
        '--principal <id>': 'only runs of this caller',
        '--key-id <id>': 'only runs that ended of this key',
        '--provider <name>': 'only runs that this provider executed',
        '--reason <reason>': 'only runs with this reason',
        '--from <time>': { description: `only runs accepted at or after this time: ${times}`, time: 'past' },
        '--to <time>': { description: 'only runs accepted before this time', time: 'past' },
      }),
      ...pageOptions,
    ],
    route: 'GET /runs',
    query: { orb: 'orb_id', orbiset: 'orbiset_id' },
    show: ({ runs }) =>
      listing(
        ['RUN_ID', 'ORB', 'STATUS', 'MODE', 'PROVIDER', 'STARTED', 'MS'],
        runs.map(({ run_id, orb_id, status, mode, provider, started_at, execution_ms }) => [
          ...[run_id, orb_id, status, mode, provider ?? '-', started_at ?? '-', String(execution_ms ?? '-')],
        ]),
      ),
  }),
  defineCommand({ path: 'runs show', summary: 'show a run', args: [runArgument], run: show }),
  apiCommand({
    path: 'runs cancel',
    summary: 'cancel a run before a provider is called',
    args: [runArgument],
    route: 'POST /runs/{run_id}/cancel',
    show: members,
  }),
  defineCommand({
    path: 'runs watch',
    summary: 'show the progress of a run until it ends',
    args: [runArgument],
    run: watch,
  }),
  apiCommand({
    path: 'runs resolve',
    summary: 'resolve a run whose outcome is unknown; a receipt records it',
    confirm: 'a receipt will attest the outcome',
    args: [runArgument, { name: 'outcome', description: 'sent or not_sent' }],
    options: [{ flag: '--note <text>', description: 'the evidence for the outcome' }],
    route: 'POST /runs/{run_id}/resolve',
    body: ({ args: [, outcome], options: { note } }) => ({ outcome, ...(note === undefined ? {} : { note }) }),
    show: members,
  }),
];

async function show(call: CommandCall): Promise<void> {
  const [runId = ''] = call.args;
  const run = await call.client().request<ShownRun>('GET', `/runs/${encodeURIComponent(runId)}`);
  const score = await scoreOf(run, call);
  const shown = record([...rowsOf(run), ...(score === undefined ? [] : [['trust_score', score]])]);
  call.print(run, shown.on(call.screen));
}

function scoreOf({ receipt_id }: ShownRun, call: CommandCall): MaybePromise<string | undefined> {
  return receipt_id === undefined || call.options['json'] === true ? undefined : explainedScore(call, receipt_id);
}

async function watch({ args: [runId = ''], client, print, note, screen }: CommandCall): Promise<number> {
  const path = `/runs/${encodeURIComponent(runId)}`;
  let seen: string | undefined;
  for (let wait = 0; ; wait = 20) {
    const run = await client().request<ShownRun>('GET', `${path}?wait=${wait}`);
    if (!['queued', 'held', 'running'].includes(run.status)) {
      print(run, members(run).on(screen));
      return run.status === 'completed' ? 0 : 1;
    }
    if (run.status !== seen) note(run.status);
    seen = run.status;
  }
}

/** `orb run`: executes an Orb at the running server. */
export const run = defineCommand({
  path: 'run',
  summary: 'execute an Orb',
  args: [
    { name: 'orb_id', description: 'for example notify.email@1.0.0' },
    { name: 'inputs', description: 'JSON object, @file, or - for standard input', optional: true },
  ],
  options: optionsOf({
    '--orbiset <id>': { description: 'the Orbiset to run in', default: 'default' },
    '--timeout <span>': { description: 'deadline: 30s, or milliseconds; at most the deadline of the Orb', time: 'ms' },
    '--disclose': 'return the salts that open the commitments of the receipt',
    '--idempotency-key <key>': 'the same key and inputs return the same result for 24 hours, without a second run',
    '--at-least-once': 'accept a possible second execution',
  }),
  async run(call) {
    const { args, options, client, print, screen } = call;
    const [orbId = '', inputs = '{}'] = args;
    const { timeout, orbiset, idempotencyKey } = options;
    const body = {
      orb_id: orbId,
      inputs: parsed(inputsText(inputs)),
      ...(timeout === undefined ? {} : { timeout_ms: Number(timeout) }),
      ...(options['disclose'] === true ? { disclose: true } : {}),
      ...(options['atLeastOnce'] === true ? { delivery: 'at_least_once' } : {}),
    };
    const path = `/orbisets/${encodeURIComponent(String(orbiset))}/execute`;
    const headers: Record<string, string> =
      typeof idempotencyKey === 'string' ? { 'idempotency-key': idempotencyKey } : {};
    const result = await client()
      .request<ExecutionResult | Held>('POST', path, body, headers)
      .catch((error: unknown) => failed(error, call));
    if (result.status === 'held') {
      print(result, members(result).on(screen));
      call.note(`not done yet: people must approve it; orb runs watch ${result.run_id} follows it`);
      return 1;
    }
    const { opening, receipt } = result;
    const score = options['json'] === true ? undefined : await explainedScore(call, receipt.receipt_id);
    print(
      result,
      [
        `${result.run_id} ${painted(result.status, screen)} in ${result.execution_ms} ms`,
        `outputs  ${JSON.stringify(result.outputs)}`,
        `receipt  ${receipt.receipt_id}  trust ${receipt.trust_score}  risk ${painted(receipt.risk_level, screen)}`,
        ...(score === undefined ? [] : [`score    ${score}`]),
        ...(opening === undefined ? [] : [`opening  ${JSON.stringify(opening)}`]),
      ].join('\n'),
    );
    return 0;
  },
});

// A run that failed has a receipt, too: its score shows the gate that limits it.
async function failed(error: unknown, call: CommandCall): Promise<never> {
  const receipt = error instanceof ClientError ? error.problem?.['receipt'] : undefined;
  const id =
    typeof receipt === 'object' && receipt !== null && 'receipt_id' in receipt ? receipt.receipt_id : undefined;
  if (typeof id !== 'string' || call.options['json'] === true) throw error;
  const score = await explainedScore(call, id);
  call.note(`receipt  ${id}${score === undefined ? '' : `  score ${score}`}`);
  throw error;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`the inputs are not JSON: ${(error as Error).message}`, { cause: error });
  }
}

function inputsText(inputs: string): string {
  if (inputs === '-') return readFileSync(0, 'utf8');
  return inputs.startsWith('@') ? readFileSync(inputs.slice(1), 'utf8') : inputs;
}

/**
 * Asks the server for a receipt and explains its score in one line. Undefined: the receipt has no score, or this key may
 * not read it.
 */
async function explainedScore(call: Pick<CommandCall, 'client'>, receiptId: string): Promise<string | undefined> {
  try {
    return scoreLine(await call.client().request<ScoredReceipt>('GET', `/receipts/${encodeURIComponent(receiptId)}`));
  } catch {
    // The command has done its work: a receipt that cannot be read does not make it fail.
    return undefined;
  }
}
