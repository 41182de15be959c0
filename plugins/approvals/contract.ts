import { defineService } from '../../kernel/index.ts';

import type { Ask, Bound } from '../runtime/contract.ts';

export type { Ask };

/** A message that is sent when a run asks a group. */
export interface ApprovalNotice {
  /** The Orb that sends it. */
  readonly orb: string;
  /** The Orbiset in which it runs. */
  readonly orbiset: string;
  /** The member who gets it. */
  readonly member?: string;
  /** Its inputs, with places for what the message says. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** People who may approve runs. */
export interface ApprovalGroup {
  /** Ids of their principals. */
  readonly members: readonly string[];
  /** Whether a link in a notice may decide, without signing in. */
  readonly links: boolean;
  /** What is sent when a run asks them; absent: nothing. */
  readonly notify?: readonly ApprovalNotice[];
}

/** The groups of this installation, by their names. */
export type ApprovalGroups = ReadonlyMap<string, ApprovalGroup>;

/** An approval as evidence: what was asked, and who decided. The words of people are not part of it. */
export interface ApprovalRecord {
  readonly approval_id: string;
  readonly run_id: string;
  readonly tenant: string;
  readonly state: string;
  readonly digest: string;
  readonly bound: Bound;
  readonly asks: readonly Ask[];
  /** RFC 3339 UTC. */
  readonly created_at: string;
  readonly expires_at: string;
  readonly decisions: readonly {
    readonly principal: string;
    readonly decision: string;
    readonly groups: readonly string[];
    readonly auth: string;
    readonly surface: string;
    readonly at: string;
    readonly receipt_id: string;
  }[];
}

/** The service of approvals. */
export interface Approvals {
  /** The groups that a policy may ask. They do not change while the program runs. */
  groups(): ApprovalGroups;
  /** How many runs may wait for one group at the same time. */
  readonly open_per_group: number;
  /** Lists the approvals that were opened in [from, to), of one tenant or of all, one at a time. Times RFC 3339 UTC. */
  between(from: string, to: string, tenant?: string): AsyncIterable<ApprovalRecord>;
}

/** The token of the service. Without it no policy can ask anybody. */
export const approvals = defineService<Approvals>('approvals');
