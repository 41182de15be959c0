import type { RejectedReason } from '../../../kernel/adapter.ts';
import type { Members } from '../wire/wire.ts';

/** A problem, as far as its words need it. */
export interface ToldProblem {
  readonly code: string;
  readonly detail?: string | undefined;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[] | undefined;
  readonly reasons?: readonly object[] | undefined;
  readonly retry_after?: number | undefined;
  readonly provider_reason?: RejectedReason | undefined;
  readonly run_id?: string | undefined;
  readonly receipt?: object | undefined;
}

const mostCharacters = 400;
// So that what to do now is not cut off.
const mostOfDetail = 300;
const mostBeforeAdvice = 200;
const mostFaults = 16;
const mostReasons = 4;

/** Explains the result of a call to a model: what was done, and what it may do next. */
export function wordsOf(problem: ToldProblem): string {
  const said = sentences[problem.code] ?? other;
  const text = shortened(said(problem));
  return [text, ...reportOf(problem), ...reasonsOf(problem), ...tailOf(problem)].join('\n');
}

/** Tells a model that its call is still under way. */
export function underWay(runId: string, { repeatable }: { readonly repeatable: boolean }): string {
  const next = repeatable
    ? 'Call again with the same arguments to wait for its result; nothing is sent twice.'
    : 'Do not call it again; ask the tool orb_run_status, or the user, for its result.';
  return `Still under way, run ${runId}. ${next}`;
}

/** The line after the outputs of a completed run. */
export function doneLine(receipt: object): string {
  const { receipt_id, trust_score, risk_level } = receipt as Members;
  return `Done once. Receipt ${String(receipt_id)}, trust ${String(trust_score)}/100 (${String(risk_level)}).`;
}

/** The first line of an answer that is repeated. */
export function replayLine(at: string | undefined): string {
  const when = at === undefined ? '' : ` of ${at}`;
  return `Answer to your identical call${when}; nothing was done now.`;
}

type Say = (problem: ToldProblem) => string;

const nothingDone: Say = ({ retry_after }) => `Nothing was done. Try again in ${seconds(retry_after)} s.`;
const notNow: Say = () => 'It could not be done now. Nothing was done. You may call again later.';
const other: Say = ({ code, detail }) => `Nothing was done: ${detail ?? code}. Tell the user.`;

const advice: Readonly<Record<RejectedReason, string>> = {
  recipient_gone: 'The recipient no longer exists: do not send to it again, and tell the user.',
  recipient_unknown: 'The service does not know the recipient: check the address.',
  recipient_blocked: 'The recipient may not be sent to: do not try it again, and tell the user.',
  content_too_long: 'The content is too long: shorten it.',
  content_refused: 'The content is refused: change it.',
  sender_refused: 'The sender is refused: tell the user, who must tell the operator.',
};

// Each says three things: whether it was done, why, and what to do.
const sentences: Readonly<Record<string, Say>> = {
  access_denied: ({ reasons = [] }) =>
    `Not allowed by the operator's rules${reasons.length === 0 ? '' : ` (${codesOf(reasons)})`}. Nothing was done. ` +
    'Do not repeat this call unchanged; change what the reason names, or ask the user.',
  approval_required: ({ detail = '', reasons = [] }) =>
    `Not done: ${shortened(detail, mostOfDetail)}${reasons.length === 0 ? '' : ` (${codesOf(reasons)})`}. ` +
    'Do not repeat this call unchanged; tell the user who must approve it.',
  approval_refused: () => 'A person refused this call. Nothing was done. Do not repeat it unchanged; tell the user.',
  approval_expired: () => 'Nobody approved this call in time. Nothing was done. Tell the user before you repeat it.',
  approval_backlog: () =>
    'Too many calls wait for the people who must approve them. Nothing was done. Try again later.',
  policy_unavailable: nothingDone,
  overloaded: nothingDone,
  draining: nothingDone,
  queue_full: nothingDone,
  ledger_behind: nothingDone,
  rate_limited: (problem) => `Too many calls. ${nothingDone(problem)}`,
  invalid_inputs: ({ errors = [], detail = '' }) =>
    `The arguments do not fit: ${errors.length === 0 ? detail : faultsOf(errors)}. Nothing was done. Correct them and call again.`,
  invalid_body: ({ errors = [], detail = '' }) =>
    `What _meta asks for does not fit: ${errors.length === 0 ? detail : faultsOf(errors)}. Nothing was done.`,
  invalid_parameter: ({ detail = '' }) => `The idempotency key does not fit: ${detail}. Nothing was done.`,
  provider_rejected: ({ detail = '', provider_reason: why }) =>
    `The service refuses these arguments${why === undefined ? '' : ` (${why})`}: ` +
    `${shortened(detail, why === undefined ? mostOfDetail : mostBeforeAdvice)}. Nothing was done. ` +
    (why === undefined ? 'Change them.' : advice[why]),
  provider_failed: notNow,
  provider_unavailable: notNow,
  // The effect may have begun; its Orb is then one that can be repeated.
  run_timed_out: () => 'It did not end in time. It is safe to call again later.',
  stream_interrupted: () =>
    'The answer broke off. Nothing was changed. Calling again is safe, and may be billed once more.',
  caller_gone: () => 'The first caller left before the answer was whole. Nothing was changed. Calling again is safe.',
  run_settled: () =>
    'It was done by your earlier call; that has been settled since. Nothing was done now. Call again only if it is to be done once more.',
  run_cancelled: () => 'The call was cancelled before anything was sent. Nothing was done.',
  definition_changed: () =>
    'The service has changed what this tool is, and the operator has not agreed to it yet. Nothing was done. Tell the user.',
  invalid_provider: () => 'The provider does not fit this tool. Nothing was done. Tell the user.',
  no_provider_allowed: () => 'Nobody may do this with this key. Nothing was done. Ask the user to tell the operator.',
  outcome_unknown: ({ run_id = '' }) =>
    `It is not known whether this was done. Do not call it again. Tell the user; run ${run_id}. The operator, or the ` +
    'service itself, will settle it; calling again with the same arguments returns this same answer.',
  invalid_outputs: () => 'It was done, but the answer made no sense. Do not call it again.',
  storage_unavailable: () =>
    'It may have been done, but could not be recorded. Do not call it again now; tell the user.',
  idempotency_mismatch: () =>
    'The idempotency key was used with other arguments before. Nothing was done. Use a new key, or the same arguments.',
  idempotency_in_progress: ({ retry_after }) =>
    `The first call with this idempotency key is still under way. Nothing was done now. Ask again in ${seconds(retry_after)} s.`,
};

/** Lists the codes that have words of their own, for the test that compares them with the problems of runs. */
export const toldCodes: readonly string[] = Object.keys(sentences);

function seconds(retryAfter: number | undefined): number {
  return Math.max(1, Math.ceil(retryAfter ?? 1));
}

function faultsOf(errors: NonNullable<ToldProblem['errors']>): string {
  const told = errors.slice(0, mostFaults).map(({ pointer, detail }) => `${argumentOf(pointer)}: ${detail}`);
  return told.join('; ') + (errors.length > mostFaults ? `; and ${errors.length - mostFaults} more` : '');
}

// A model knows its arguments, not the body of our own API.
function argumentOf(pointer: string): string {
  const path = pointer.replace(/^#\/inputs(?=\/|$)/, '').replace(/^#/, '');
  return path === '' ? 'arguments' : path;
}

function codesOf(reasons: readonly object[]): string {
  const found = reasons.slice(0, mostReasons).map((reason) => ('code' in reason ? String(reason.code) : ''));
  return found.filter((code) => code !== '').join(', ');
}

// Why the outcome is unknown: of a tool that failed, its own words.
function reportOf({ code, detail = '' }: ToldProblem): readonly string[] {
  return code === 'outcome_unknown' && detail !== '' ? [`Reported: ${shortened(detail)}`] : [];
}

function reasonsOf({ reasons = [] }: ToldProblem): readonly string[] {
  const messages = reasons.slice(0, mostReasons).map((reason) => ('message' in reason ? String(reason.message) : ''));
  return messages.filter((message) => message !== '').map((message) => `Reason: ${shortened(message)}`);
}

function tailOf({ run_id, receipt }: ToldProblem): readonly string[] {
  const id = receipt !== undefined && 'receipt_id' in receipt ? String(receipt.receipt_id) : undefined;
  return [...(run_id === undefined ? [] : [`run ${run_id}`]), ...(id === undefined ? [] : [`receipt ${id}`])];
}

function shortened(text: string, most = mostCharacters): string {
  const points = [...text];
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`;
}
