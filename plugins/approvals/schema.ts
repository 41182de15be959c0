import { exactly, optional, type Infer } from '../../kernel/index.ts';
import { bound } from '../runtime/contract.ts';
import { authentications, surfaces } from './fact.ts';
import { approvalStates } from './store.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;

const decision = exactly('ApprovalDecision', {
  principal: { ...text, description: 'Who decided' },
  decision: { enum: ['approve', 'refuse'], description: 'What was decided' },
  auth: { enum: authentications, description: 'How the person was known' },
  surface: { enum: surfaces, description: 'Where it decided' },
  at: { ...time, description: 'When' },
  comment: optional({ ...text, description: 'The words of the person' }),
  receipt_id: { ...text, description: 'Receipt of the decision' },
});

const ask = exactly('ApprovalAsk', {
  code: { ...text, description: 'Code of the reason' },
  message: { ...text, description: 'The reason, in the words of the policy' },
  approvers: { ...text, description: 'Name of the group that is asked' },
  of: { type: 'integer', minimum: 1, description: 'How many of them must approve' },
  bind: { enum: ['inputs', 'provider'], description: '`provider`: a change of provider ends the approval' },
  approved_by: { type: 'array', items: text, description: 'Members who have approved' },
});

const summary = {
  approval_id: { ...text, description: 'Id of the approval' },
  state: { enum: approvalStates, description: '`open`: it waits for decisions' },
  run_id: { ...text, description: 'The held run' },
  orb_id: { ...text, description: 'The Orb that would run' },
  orbiset_id: { ...text, description: 'The Orbiset in which it would run' },
  principal: { ...text, description: 'Who asks for the run' },
  mode: { enum: ['live', 'sandbox'], description: '`sandbox`: nothing leaves the machine' },
  digest: { ...text, description: 'Digest of what is approved; a decision names it' },
  approvers: { type: 'array', items: text, description: 'Names of the groups that are asked' },
  policies: { type: 'array', items: text, description: 'Ids of the policies that ask' },
  created_at: { ...time, description: 'Since when the run is held' },
  expires_at: { ...time, description: 'Without an approval the run is denied then' },
} as const;

/** Schema of a page of approvals. */
export const approvalPage = exactly('ApprovalPage', {
  approvals: { type: 'array', items: exactly('ApprovalSummary', summary), description: 'The approvals, newest first' },
  groups: { type: 'array', items: text, description: 'The groups whose approvals the caller may list' },
  next_cursor: optional({ ...text, description: 'Absent on the last page' }),
});

const past = exactly('PastApproval', {
  approval_id: summary.approval_id,
  state: { enum: approvalStates, description: 'How it ended' },
  created_at: summary.created_at,
});

const similar = exactly('SimilarApprovals', {
  approved: { type: 'integer', minimum: 0, description: 'How many were approved' },
  refused: { type: 'integer', minimum: 0, description: 'How many were refused' },
  last: { type: 'array', maxItems: 5, items: past, description: 'The newest five, however they ended' },
});

const count = { type: 'integer', minimum: 0 } as const;
const outcomes = exactly('ApprovalOutcomes', {
  approved: { ...count, description: 'How many were approved' },
  refused: { ...count, description: 'How many were refused' },
  expired: { ...count, description: 'How many nobody decided in time' },
});

/** Schema of an approval. */
export const approvalSchema = exactly('Approval', {
  ...summary,
  asks: { type: 'array', items: ask, description: 'What the policies ask of whom' },
  bound: { ...bound, description: 'Everything that the digest covers' },
  inputs: optional({
    type: 'object',
    description: 'The inputs that would be executed, read from the sealed request; absent once the run is not held',
  }),
  decisions: { type: 'array', items: decision, description: 'The decisions, the first one first' },
  outcomes: {
    ...outcomes,
    description:
      'How others of the same Orb and reasons ended that were asked in the last 30 days, of the newest 1,000',
  },
  similar: { ...similar, description: 'Ended ones of the same Orb and requester, of the newest 200' },
  may_decide: { type: 'boolean', description: 'Whether the caller may decide now' },
});

/** An approval as it is sent. */
export type Approval = Infer<typeof approvalSchema>;

/** What all that show an approval have of it. */
export type ApprovalView = Omit<Approval, 'similar' | 'may_decide'>;

/** A page of approvals as it is sent. */
export type ApprovalPage = Infer<typeof approvalPage>;

/** Schema of a decision as it is asked for. */
export const decisionRequest = exactly('DecisionRequest', {
  decision: { type: 'string', enum: ['approve', 'refuse'], description: 'What is decided' },
  digest: {
    type: 'string',
    pattern: '^sha256:[0-9a-f]{64}$',
    description: 'Digest of what was looked at: the decision is about nothing else',
  },
  comment: optional({ type: 'string', minLength: 1, maxLength: 1000, description: 'Words for the requester' }),
});

/** A decision as it is asked for. */
export type DecisionRequest = Infer<typeof decisionRequest>;
