import { given, type Problem } from '../../../kernel/index.ts';
import type { McpScope } from '../scope.ts';
import type { ToolList } from '../tools/tool-lists.ts';
import { isMembers, metaKeys, type Id, type Members } from '../wire/wire.ts';
import { doneLine, replayLine, wordsOf, type ToldProblem } from './words.ts';
import type { ExecutionResult, Orb } from '../../runtime/contract.ts';

/** The parts of results that are the same for all calls. */
export type ResultFrame = Pick<McpScope, 'publicUrl' | 'version'>;

const forModels = Object.freeze({ audience: ['assistant'], priority: 0.3 });

/** How the answer of a completed run is shown. */
export interface Shown {
  readonly replayed: boolean;
  /** The whole receipt, when the Orbiset asks for it. */
  readonly envelope: object | undefined;
  /** Content as a tool of another server gave it; shown in place of the outputs. */
  readonly blocks: readonly object[] | undefined;
}

/** Makes the result of a call whose run completed. */
export function completedResult(
  answer: ExecutionResult,
  { publicUrl, version }: ResultFrame,
  { replayed, envelope, blocks }: Shown,
): object {
  const { receipt } = answer;
  const done = doneLine(receipt);
  const line = replayed ? `${replayLine(receipt.timestamp)} ${done}` : done;
  return {
    content: [
      ...(blocks ?? [{ type: 'text', text: JSON.stringify(answer.outputs) }]),
      { type: 'text', text: line, annotations: forModels },
    ],
    structuredContent: replayed ? { ...answer, replayed, first_answered_at: receipt.timestamp } : answer,
    _meta: {
      'agent-orb/receipt': { receipt_id: receipt.receipt_id, url: `${publicUrl}/receipts/${receipt.receipt_id}` },
      ...given({ 'agent-orb/envelope': envelope }),
      'agent-orb/replayed': replayed,
      [metaKeys.server]: serverInfo(version),
    },
  };
}

/** Where the answer of a completed run is shown. */
export interface ShownFor {
  readonly list: Pick<ToolList, 'orbiset'>;
  readonly orb: Orb | undefined;
  readonly replayed: boolean;
}

/** Makes the result of a completed run of an Orb, with what its Orbiset and its capability add. */
export async function shownResult(
  answer: ExecutionResult,
  { list, orb, replayed }: ShownFor,
  scope: ResultFrame & Pick<McpScope, 'envelopeOf'>,
): Promise<object> {
  const whole = list.orbiset.tools?.receipts === 'full';
  const envelope = whole ? await scope.envelopeOf(answer.receipt.receipt_id) : undefined;
  return completedResult(answer, scope, { replayed, envelope, blocks: blocksOf(orb, answer) });
}

// The tool of another server has answered in the form of the protocol: pictures stay pictures.
function blocksOf(orb: Orb | undefined, { outputs }: ExecutionResult): readonly object[] | undefined {
  const { content } = outputs;
  return orb?.manifest.capability === 'mcp' && Array.isArray(content) ? (content as readonly object[]) : undefined;
}

/** Makes the result of a call that did not complete: words for the model, the problem of the HTTP API for programs. */
export function failedResult(problem: Problem, { publicUrl, version }: ResultFrame, retryAfter?: number): object {
  const { body, headers } = problem;
  const told = retryAfter === undefined ? body : { ...body, retry_after: retryAfter };
  const replayed = 'Idempotent-Replayed' in headers;
  const receipt = 'receipt' in body && isMembers(body.receipt) ? body.receipt : undefined;
  const words = wordsOf(told as ToldProblem);
  return {
    isError: true,
    content: [{ type: 'text', text: replayed ? `${replayLine(timeOf(receipt))}\n${words}` : words }],
    _meta: {
      'agent-orb/problem': told,
      ...(receipt === undefined ? {} : { 'agent-orb/receipt': receiptLink(receipt, publicUrl) }),
      ...(replayed ? { 'agent-orb/replayed': true } : {}),
      [metaKeys.server]: serverInfo(version),
    },
  };
}

/** Makes a result that is only words: a failure of a call without a problem. */
export function wordsResult(text: string, { version }: ResultFrame, meta: object = {}): object {
  return {
    isError: true,
    content: [{ type: 'text', text }],
    _meta: { ...meta, [metaKeys.server]: serverInfo(version) },
  };
}

/** The name and version that a server tells its clients. */
export function serverInfo(version: string): object {
  return { name: 'agent-orb-platform', title: 'Agent Orb Platform', version };
}

/** Puts a result into its envelope; the revision 2026-07-28 marks it as complete. */
export function answerTo(id: Id, result: object, { modern }: { readonly modern: boolean }): object {
  return { jsonrpc: '2.0', id, result: modern ? complete(result) : result };
}

/** Marks a result as complete, unless it says what else it is. */
export function complete(result: object): object {
  return { resultType: 'complete', ...result };
}

function receiptLink({ receipt_id }: Members, publicUrl: string): object {
  return { receipt_id, url: `${publicUrl}/receipts/${String(receipt_id)}` };
}

function timeOf(receipt: Members | undefined): string | undefined {
  const time = receipt?.['timestamp'];
  return typeof time === 'string' ? time : undefined;
}
