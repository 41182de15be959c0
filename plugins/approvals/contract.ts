import { defineService } from '../../kernel/index.ts';

export type { Ask } from '../runtime/contract.ts';

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

/** The service of approvals. */
export interface Approvals {
  /** The groups that a policy may ask. They do not change while the program runs. */
  groups(): ApprovalGroups;
  /** How many runs may wait for one group at the same time. */
  readonly open_per_group: number;
}

/** The token of the service. Without it no policy can ask anybody. */
export const approvals = defineService<Approvals>('approvals');
