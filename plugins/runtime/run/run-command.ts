import { explainedScore } from './receipt-score.ts';
import { readFileSync } from 'node:fs';
import type { ExecutionResult } from './run-fact.ts';
import { ClientError, defineCommand, type CommandCall } from '../../../kernel/index.ts';
import { painted, optionsOf } from '../../terminal/contract.ts';

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
      inputs: parsed(textOf(inputs)),
      ...(timeout === undefined ? {} : { timeout_ms: Number(timeout) }),
      ...(options['disclose'] === true ? { disclose: true } : {}),
      ...(options['atLeastOnce'] === true ? { delivery: 'at_least_once' } : {}),
    };
    const path = `/orbisets/${encodeURIComponent(String(orbiset))}/execute`;
    const headers: Record<string, string> =
      typeof idempotencyKey === 'string' ? { 'idempotency-key': idempotencyKey } : {};
    const result = await client()
      .request<ExecutionResult>('POST', path, body, headers)
      .catch((error: unknown) => failed(error, call));
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

function textOf(inputs: string): string {
  if (inputs === '-') return readFileSync(0, 'utf8');
  return inputs.startsWith('@') ? readFileSync(inputs.slice(1), 'utf8') : inputs;
}
