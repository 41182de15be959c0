import type { AccessRequest, AwaitedReads, Clock, Decision } from '../../../kernel/index.ts';
import type { ApprovalGroups } from '../../approvals/contract.ts';
import { undecidedReason } from '../../runtime/contract.ts';
import type { DecisionQuery, DecisionReads, DecisionRow } from './decision-log.ts';
import { faultOf, type Asked, type PoolAnswer } from '../evaluator/question.ts';
import { outcomeOf, readResult, verdictOf, withApprovals } from '../evaluator/result.ts';
import type { Revision } from '../revisions/revision.ts';

/** What became of the answer of a past decision. */
export const outcomes = ['same', 'would_deny', 'would_ask', 'would_allow', 'undecidable', 'not_replayable'] as const;

/** One of the outcomes. */
export type Outcome = (typeof outcomes)[number];

/** Past decisions by what became of their answers, newest first. */
export interface Replayed {
  readonly decisions: Readonly<Record<Outcome, readonly string[]>>;
  readonly examined: number;
  /** False: the time was used up before all decisions were examined. */
  readonly complete: boolean;
  /** Times of the oldest and the newest decision that was examined. */
  readonly from?: string;
  readonly to?: string;
}

/** Which decisions are replayed; `last`: at most so many, the newest. */
type ReplayQuery = Pick<DecisionQuery, 'tenant' | 'action' | 'orb_id' | 'from' | 'to'> & {
  readonly last: number;
};

/** Dependencies of a replay; `ask` evaluates a question with the candidate. */
interface ReplayOptions {
  readonly lists: Pick<AwaitedReads<DecisionReads>, 'decisions'>;
  readonly clock: Clock;
  readonly groups: ApprovalGroups | undefined;
  ask(question: ReplayQuestion): Promise<PoolAnswer>;
}

/** A question of a past decision. */
export type ReplayQuestion = Pick<Asked, 'time_ns' | 'withheld'> & Record<'action', string> & Record<'input', object>;

const limitMs = 10_000;
const pageSize = 100;

/** Answers past decisions again with a candidate, and compares the answers. Inputs are not used: they are withheld. */
export async function replay(
  options: ReplayOptions,
  candidate: Revision,
  { last, ...wanted }: ReplayQuery,
): Promise<Replayed> {
  const { lists, clock } = options;
  const decisions: Record<Outcome, string[]> = {
    ...{ same: [], would_deny: [], would_ask: [], would_allow: [], undecidable: [], not_replayable: [] },
  };
  const ends = clock.monotonic() + limitMs;
  let examined = 0;
  let span: { readonly from: string; readonly to: string } | undefined;
  let after: string | undefined;
  const ended = (complete: boolean): Replayed => ({ decisions, examined, complete, ...span });
  while (examined < last) {
    const page = await lists.decisions({ ...wanted, after, limit: Math.min(pageSize, last - examined) });
    for (const row of page.items) {
      if (clock.monotonic() > ends) return ended(false);
      decisions[await replayedOf(options, candidate, row)].push(row.decision_id);
      examined += 1;
      span = { from: row.at, to: span?.to ?? row.at };
    }
    if (page.next === undefined) break;
    if (clock.monotonic() > ends) return ended(false);
    after = page.next;
  }
  return ended(true);
}

async function replayedOf({ ask, groups }: ReplayOptions, candidate: Revision, row: DecisionRow): Promise<Outcome> {
  const request = questionOf(row);
  if (request === undefined) return 'not_replayable';
  if (candidate.policies.length === 0) return compared(row, 'deny');
  const { subject, action, resource, context } = request;
  // A substitute for the inputs would be a guess, so replace them with a value that cannot be read.
  const { inputs, parsed, ...known } = context;
  const answer = await ask({
    action: action.name,
    input: { subject, action, resource, context: { ...known, revision: candidate.digest } },
    time_ns: String(context['time_ns']),
    withheld: inputs === undefined ? undefined : parsed === undefined ? withheldInputs : withheldParsed,
  });
  if ('fault' in answer) {
    // A fault of a builtin is an answer: with any inputs the evaluation comes to it. A timeout is none.
    const denied = answer.fault === 'policy_builtin_error' || answer.fault === 'policy_error';
    const { needs_withheld = false } = 'needs_withheld' in answer ? answer : {};
    return denied && !needs_withheld ? compared(row, 'deny') : 'undecidable';
  }
  const result = readResult(answer.answer);
  if (result === undefined) return compared(row, 'deny');
  const verdict = verdictOf(result, candidate.digest, { action: action.name, groups });
  return compared(row, outcomeOf(withApprovals(verdict, context)));
}

const withheldInputs = [['context', 'inputs']] as const;
const withheldParsed = [...withheldInputs, ['context', 'parsed']] as const;

function compared({ allow, record }: DecisionRow, now: ReturnType<typeof outcomeOf>): Outcome {
  const before = outcomeOf({ allow, ...(JSON.parse(record) as Pick<Decision, 'asks'>) });
  return before === now ? 'same' : `would_${now}`;
}

/**
 * Makes the question of a past decision from its row, which holds all but the inputs, as text and parsed. Undefined when a fact is missing,
 * has another form today, or when the engine had failed: then no policy gave the answer.
 */
function questionOf({ record }: DecisionRow): AccessRequest | undefined {
  const { input, ...verdict } = JSON.parse(record) as { readonly input?: AccessRequest };
  if (input === undefined || undecidedReason(verdict as Parameters<typeof undecidedReason>[0]) !== undefined)
    return undefined;
  const { context, action } = input;
  const parsed = context !== undefined && 'parsed' in context ? { parsed: {} } : undefined;
  // Decisions of earlier versions have no approvals.
  const request =
    action?.name === 'execute' ? { ...input, context: { approvals: [], ...context, inputs: {}, ...parsed } } : input;
  return action === undefined || faultOf(request) !== undefined ? undefined : request;
}
