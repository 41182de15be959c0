import { defineService } from '../../kernel/index.ts';

export type { Ask } from '../runtime/contract.ts';

/** People who may approve runs. */
export interface ApprovalGroup {
  /** Ids of their principals. */
  readonly members: readonly string[];
  /** Whether a link in a message may decide, without signing in; no such links are made yet. */
  readonly links: boolean;
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
