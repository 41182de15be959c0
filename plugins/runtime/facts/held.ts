import {
  defineService,
  exactly,
  optional,
  type Awaitable,
  type Decision,
  type Infer,
  type Operation,
} from '../../../kernel/index.ts';

/** What a policy asks of people before a run may go ahead. */
export type Ask = NonNullable<Decision['asks']>[number];

const text = { type: 'string', minLength: 1 } as const;
const digest = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } as const;

/**
 * Schema of what a person approves: all that decides on the effect of one run, without a word that its caller could have
 * chosen to describe it. Its digest (SHA-256 of the canonical form, RFC 8785) is what a decision names.
 */
export const bound = exactly('BoundRun', {
  run_id: { ...text, description: 'Id of the run' },
  orb_id: { ...text, description: 'The Orb' },
  orbiset_id: { ...text, description: 'Id of the Orbiset' },
  principal: { ...text, description: 'The principal that asks for the run' },
  mode: { type: 'string', enum: ['live', 'sandbox'], description: '`sandbox`: nothing leaves the machine' },
  manifest_digest: { ...digest, description: 'Digest of the manifest of the Orb' },
  inputs: {
    ...exactly({
      commitment: { ...digest, description: 'Salted digest of the inputs; the receipt of the run has the same one' },
      size: { type: 'integer', minimum: 0, description: 'Bytes of the inputs in canonical form' },
    }),
    description: 'The inputs',
  },
  delivery: { type: 'string', enum: ['at_most_once', 'at_least_once'], description: 'How often it may be done' },
  providers: {
    type: 'array',
    description: 'The providers that may serve it, the active one first',
    items: exactly({
      name: { ...text, description: 'Name of the provider' },
      config_digest: { ...digest, description: 'Digest of its configuration' },
    }),
  },
  revision: optional({ ...digest, description: 'Digest of the policies that asked' }),
  asks: {
    type: 'array',
    description: 'What the policies ask',
    items: exactly({
      code: { ...text, description: 'Code of the reason' },
      approvers: { ...text, description: 'Name of the group that is asked' },
      of: { type: 'integer', minimum: 1, description: 'How many of them must approve' },
      bind: { type: 'string', enum: ['inputs', 'provider'], description: '`provider`: a change of provider ends it' },
      policies: { type: 'array', items: text, description: 'Ids of the policies that ask' },
    }),
  },
});

/** What a person approves. */
export type Bound = Infer<typeof bound>;

/** What a run that waits for people is, now: what is bound, with its inputs themselves. */
export interface HeldRun extends Omit<Bound, 'inputs' | 'asks'> {
  /** The accepted inputs in canonical form. */
  readonly inputs: string;
  /** base64 of the salt of the commitment to them, which the receipt of the run has too; absent: one is made. */
  readonly salt?: string | undefined;
}

/** A run that is about to wait for people. */
export interface Holding {
  readonly run: HeldRun;
  readonly tenant: string;
  readonly asks: readonly Ask[];
}

/** An opened approval. */
export interface Opened {
  readonly approval: ApprovalState;
  /** base64 of the salt of the commitment to the inputs. */
  readonly salt: string;
  /** They commit with the run's row in the queue, and throw `approval_backlog` when a group has too many open ones. */
  readonly writes: readonly Operation[];
}

/** The approval that a held run waits for, as its caller sees it. */
export interface ApprovalState {
  readonly id: string;
  /** RFC 3339 UTC. */
  readonly expires_at: string;
  /** Where approvers see it. */
  readonly url: string;
  /** Names of the groups that are asked. */
  readonly asked: readonly string[];
}

/** One answered ask, as a policy sees it in `context.approvals`. */
export interface Approved {
  readonly code: string;
  readonly approvers: string;
  readonly approved_by: readonly string[];
  /** RFC 3339 UTC, of the last of them. */
  readonly at: string;
}

/** What people decided on a run that is about to be dispatched. */
export interface HeldAnswer {
  /** All that it was held for. */
  readonly named: NamedApproval;
  /** Those that are still about the run as it is now: it goes ahead under them, or under none. */
  readonly under: NamedApproval | undefined;
  readonly state: 'open' | 'approved' | 'refused' | 'expired' | 'cancelled';
  /** The asks that enough of them approved, now or before; none of an approval of something else than the run. */
  readonly approved: readonly Approved[];
}

/** Keeps what people are asked. Without it no run is held: what a policy asks then denies. */
export interface ApprovalsPort {
  /** Makes the approval of a run. */
  open(holding: Holding): Opened;
  /** Finds an approval, for the caller's view. */
  state(approvalId: string): Awaitable<ApprovalState | undefined>;
  /** Finds what people decided; with a run, whether it is about the run as it is now. */
  answered(approvalId: string, run?: HeldRun): Awaitable<HeldAnswer | undefined>;
  /** Makes the write that ends an approval with its run, in the commit of the run's receipt; a decided one stays so. */
  close(approvalId: string, as: 'expired' | 'cancelled'): Operation;
}

/** The token of the port: the plugin that keeps approvals provides it. */
export const approvalsPort = defineService<ApprovalsPort>('approvals_port');

/** Why a held run is denied in the end. */
export type HeldEnd = 'approval_refused' | 'approval_expired' | 'approval_backlog' | 'approval_required';

/** One approval of a run, as its receipt names it. */
export interface OneApproval {
  readonly approval_id: string;
  /** Digest of what was asked. */
  readonly digest: string;
  /** Ids of the receipts of the decisions. */
  readonly decisions: readonly string[];
}

/** The last approval of a run, as its receipt names it, with those before it. */
export interface NamedApproval extends OneApproval {
  /** Approvals under which it runs as well, the first one first; absent: it was held once. */
  readonly earlier?: readonly OneApproval[];
}

/** The runs that wait for people. */
export interface HeldRuns {
  /** Reads the accepted inputs of a held run, in canonical form, from the sealed request itself. */
  inputs(runId: string): Promise<string | undefined>;
  /** Makes the write that lets a held run go on; it commits with the last decision, or fails when it is not held. */
  release(runId: string): Operation;
  /** Serves a run that was released. */
  released(runId: string): Promise<void>;
  /** Denies a held run, with its receipt, unless a node is about to end it; false: it is not held any more. */
  deny(runId: string, why: HeldEnd): Promise<boolean>;
}
