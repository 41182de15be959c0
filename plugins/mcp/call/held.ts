import type { ApprovalState, OpenRunView } from '../../runtime/contract.ts';
import { declaresUrlElicitation, isMembers, type Members, type Message } from '../wire/wire.ts';
import { waitsFor } from '../tools/status-tool.ts';
import { wordsResult, type ResultFrame } from './result.ts';
import { taskOf } from './task.ts';

/** A run that waits for people. */
export interface HeldRun {
  readonly run_id: string;
  readonly approval: ApprovalState;
}

/** Finds what a run waits for; undefined when it is not held. */
export function heldRunOf({ run_id, status, approval }: OpenRunView): HeldRun | undefined {
  return status === 'held' && approval !== undefined ? { run_id, approval } : undefined;
}

/** How a held call is answered. */
interface Answering {
  readonly message: Message;
  /** The client takes a task. */
  readonly queued: boolean;
  /** Whether it gets the same run when it calls again. */
  readonly repeatable: boolean;
}

/**
 * Makes the answer of a call whose run waits for people; undefined: its client has shown the approval to its user, and
 * waits for the result.
 */
export function heldAnswer(held: HeldRun, asked: Answering, frame: ResultFrame): object | undefined {
  const { message, queued, repeatable } = asked;
  if (queued) return { resultType: 'task', ...heldTask(held) };
  const answer = elicited(message, held);
  if (answer === 'accept') return undefined;
  // The client calls again after it: that must be the same run (SEP-2322).
  if (answer === undefined && repeatable && declaresUrlElicitation(message))
    return { resultType: 'input_required', inputRequests: elicitation(held) };
  return heldResult(held, repeatable, frame);
}

// Words for the model, the approval for programs.
function heldResult({ run_id, approval }: HeldRun, repeatable: boolean, frame: ResultFrame): object {
  const next = repeatable
    ? 'Calling again with the same arguments gets this same run; nothing is sent twice.'
    : 'Do not call it again.';
  const text =
    `Not done yet. ${waitsFor(approval)} Tell the user; approvers decide at ${approval.url}. ` +
    `Ask the tool orb_run_status for its result. ${next}\nrun ${run_id}`;
  return wordsResult(text, frame, { 'agent-orb/run': { run_id, status: 'held', approval } });
}

// What the client answered when it was asked to show the approval; undefined: it was not asked yet.
function elicited({ params }: Message, { approval }: HeldRun): unknown {
  const responses = params['inputResponses'];
  const response = isMembers(responses) ? responses[approval.id] : undefined;
  return isMembers(response) ? response['action'] : undefined;
}

/** Makes a task whose run waits for people; `tasks/get` also says what the client may show to its user. */
export function heldTask({ run_id, approval }: HeldRun): Members {
  return { ...taskOf(run_id, 'input_required'), statusMessage: waitsFor(approval) };
}

/** Lists what a client is asked for a held run: to show the page of its approval, if it can. */
export function inputRequestsOf(held: HeldRun, message: Message): object {
  return declaresUrlElicitation(message) ? elicitation(held) : {};
}

// Each approval has a key of its own: a client answers each key once.
function elicitation({ approval }: HeldRun): object {
  const { id, url } = approval;
  const params = { mode: 'url', message: `${waitsFor(approval)} Open the approval.`, url, elicitationId: id };
  return { [id]: { method: 'elicitation/create', params } };
}
