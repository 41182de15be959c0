import {
  canonical,
  digest,
  operation,
  PlatformError,
  timestamp,
  type Operation,
  type PluginScope,
  type Principal,
} from '../../kernel/index.ts';
import type {
  HeldAnswer,
  ApprovalState,
  Ask,
  Bound,
  HeldEnd,
  HeldRun,
  Holding,
  Opened,
  Runtime,
} from '../runtime/contract.ts';
import { boundOf, covers } from './bound.ts';
import { approvedOf, factOf, groupsWith, stateAfter, type Deciding } from './decisions.ts';
import type { ApprovalGroups } from './contract.ts';
import { problems } from './problems.ts';
import approvalsStore, {
  decidedBefore,
  type ApprovalReads,
  type ApprovalRow,
  type DecisionRow,
  type Opening,
} from './store.ts';

/** What the desk works with. */
export interface DeskScope extends Pick<PluginScope<unknown, never>, 'store' | 'clock' | 'ids' | 'log' | 'platform'> {
  readonly reads: ApprovalReads;
  readonly runtime: Pick<Runtime, 'held' | 'recording'>;
  readonly groups: ApprovalGroups;
  /** The address at which people see an approval. */
  readonly addressOf: (approvalId: string) => string;
  /** Most open approvals of a group. */
  readonly most: number;
}

/** An approval with what its row keeps sealed. */
export interface WholeApproval {
  readonly row: ApprovalRow;
  readonly bound: Bound;
  readonly asks: readonly Ask[];
  readonly decisions: readonly DecisionRow[];
}

const mostAtOnce = 100;

/** Opens approvals of held runs, takes the decisions of people, and ends what nobody decided. */
export class Desk {
  readonly #scope: DeskScope;

  constructor(scope: DeskScope) {
    this.#scope = scope;
  }

  /** Makes the approval of a run. */
  open({ run, asks, tenant }: Holding): Opened {
    const { clock, ids, most, runtime } = this.#scope;
    const [approval_id, now] = [ids('apr'), clock.now()];
    const { bound, salt } = boundOf(run, asks);
    const text = canonical(bound);
    const expires_at = now + 1000 * Math.min(...asks.map(({ expires_s }) => expires_s));
    const { run_id, orbiset_id, orb_id, principal: requester, mode } = bound;
    const groups = groupsIn(asks);
    const row = { approval_id, run_id, tenant, orbiset_id, orb_id, requester, mode, digest: digest(text), bound: text };
    const opening = {
      ...row,
      created_at: now,
      expires_at,
      asks: JSON.stringify(asks),
      groups,
      reasons: reasonsIn(asks),
      most,
      notices: this.#noticesOf(groups, requester),
    };
    const data = {
      approval_id,
      run_id,
      orbiset_id,
      orb_id,
      groups: groups.join(','),
      expires_at: timestamp(expires_at),
    };
    return {
      approval: this.#stateOf({ approval_id, expires_at }, groups),
      salt,
      writes: [
        operation(approvalsStore, 'open', opening),
        runtime.recording({ type: 'approval.asked', scope: 'runs:read', tenant, data }),
      ],
    };
  }

  /** Finds an approval as the caller of its run sees it. */
  async state(approvalId: string): Promise<ApprovalState | undefined> {
    const row = await this.#scope.reads.find(approvalId);
    return row && this.#stateOf(row, groupsIn(this.#asksOf(row)));
  }

  /**
   * Finds what people decided on a run, this time and before; an approval of something else than the run counts for
   * nothing.
   */
  async answered(approvalId: string, run?: HeldRun): Promise<HeldAnswer | undefined> {
    const whole = await this.whole(approvalId);
    if (whole === undefined) return undefined;
    const last = answerOf(whole, run);
    const before = (await this.#scope.reads.ofRun(whole.row.run_id)).filter((row) => row.approval_id !== approvalId);
    const earlier = await Promise.all(before.map(async (row) => answerOf(await this.#wholeOf(row), run)));
    const all = [...earlier, last];
    const holding = all.filter(({ approved }) => approved.length > 0);
    return {
      named: inOrder(earlier, last),
      under: holding.length === 0 ? undefined : inOrder(holding.slice(0, -1), holding.at(-1) ?? last),
      state: last.state,
      approved: all.flatMap(({ approved }) => approved),
    };
  }

  /** Makes the write that ends an approval with its run. */
  close(approval_id: string, as: 'expired' | 'cancelled' | 'refused'): Operation {
    return operation(approvalsStore, 'close', { approval_id, as, at: this.#scope.clock.now() });
  }

  /** Finds an approval with what its row keeps sealed. */
  async whole(approvalId: string): Promise<WholeApproval | undefined> {
    const row = await this.#scope.reads.find(approvalId);
    return row && this.#wholeOf(row);
  }

  async #wholeOf(row: ApprovalRow): Promise<WholeApproval> {
    const bound = JSON.parse(row.bound) as Bound;
    return { row, bound, asks: this.#asksOf(row), decisions: await this.#scope.reads.decisions(row.approval_id) };
  }

  #asksOf({ asks }: ApprovalRow): readonly Ask[] {
    return JSON.parse(Buffer.from(this.#scope.store.sealer.open('approvals', asks)).toString()) as readonly Ask[];
  }

  /**
   * Takes a decision: it is attested, and the last one that is needed lets the run go on in the same commit. Throws 403
   * for a person who is not asked or asks itself, 409 for another digest, and when the approval is not open.
   */
  async decide(deciding: Deciding): Promise<void> {
    const { clock, platform } = this.#scope;
    const { held } = this.#scope.runtime;
    const whole = await this.whole(deciding.approval_id);
    const { row, bound, asks, decisions } = whole ?? missing(deciding.approval_id);
    const groups = this.#groupsOf(deciding, row, asks);
    if (row.state !== 'open') throw decidedBefore(row.state);
    const now = clock.now();
    if (row.expires_at <= now) throw decidedBefore('expired');
    const own: Pick<DecisionRow, 'principal' | 'decision' | 'groups' | 'at'> = {
      ...{ principal: deciding.caller.id, decision: deciding.decision, groups: JSON.stringify(groups), at: now },
    };
    const becomes = stateAfter(asks, [...decisions, own]);
    const fact = factOf(deciding, { row, bound, groups, becomes, at: timestamp(now) });
    await platform.attest({
      fact: fact.fact,
      operations: (receipt_id) => [
        ...(deciding.link === undefined
          ? []
          : [operation(approvalsStore, 'useLink', { hash: deciding.link.hash, at: now })]),
        operation(approvalsStore, 'decide', {
          ...{ ...own, approval_id: row.approval_id, auth: deciding.auth, surface: deciding.surface, receipt_id },
          ...{ comment: fact.comment, becomes, before: decisions.length },
        }),
        this.#decidedEvent(row, deciding, becomes),
        ...(becomes === 'approved' ? [held.release(row.run_id)] : []),
      ],
    });
    if (becomes === 'approved') await held.released(row.run_id);
    if (becomes === 'refused') await this.#end(row, 'approval_refused');
  }

  /** Says whether a person may decide on an approval now. */
  mayDecide({ row, asks, decisions }: WholeApproval, caller: Principal): boolean {
    const { clock, groups } = this.#scope;
    if (row.state !== 'open' || row.expires_at <= clock.now() || caller.id === row.requester) return false;
    if (row.mode === 'live' && caller.mode !== 'live') return false;
    if (decisions.some(({ principal }) => principal === caller.id)) return false;
    const own = groupsWith(groups, caller.id);
    return asks.some(({ approvers }) => own.includes(approvers));
  }

  /** Ends what nobody decided in time, and what a decision had to end when the process died. */
  async sweep(): Promise<void> {
    const { reads, clock, log } = this.#scope;
    const [expired, ending] = [await reads.expired(clock.now(), mostAtOnce), await reads.ending(mostAtOnce)];
    const late = expired.map((row) => [row, 'approval_expired'] as const);
    const refused = ending.filter(({ state }) => state === 'refused').map((row) => [row, 'approval_refused'] as const);
    for (const [row, why] of [...late, ...refused])
      // One that cannot be ended keeps no other from its end.
      await this.#end(row, why).catch((err: unknown) =>
        log.warn({ err, approval_id: row.approval_id }, 'the server could not end an approval; it tries again'),
      );
  }

  // If the run is held no more, only the approval is left to close.
  async #end({ approval_id, run_id }: ApprovalRow, why: Extract<HeldEnd, `approval_${'refused' | 'expired'}`>) {
    if (await this.#scope.runtime.held.deny(run_id, why)) return;
    const as = why === 'approval_refused' ? 'refused' : 'expired';
    await this.#scope.store.write([this.close(approval_id, as)]);
  }

  // Nobody is told of a run of their own: they may not decide on it.
  #noticesOf(asked: readonly string[], requester: string): Opening['notices'] {
    const { groups, ids } = this.#scope;
    return asked.flatMap((name) =>
      (groups.get(name)?.notify ?? []).flatMap(({ member }, place) =>
        member === requester ? [] : [{ notice_id: ids('ntc'), asked: name, place }],
      ),
    );
  }

  // By a link, a person decides for those of its groups that allow links.
  #groupsOf({ caller, digest: shown, link }: Deciding, row: ApprovalRow, asks: readonly Ask[]): readonly string[] {
    const asked = new Set(asks.map(({ approvers }) => approvers));
    const groups = groupsWith(this.#scope.groups, caller.id).filter(
      (group) => asked.has(group) && (link === undefined || this.#scope.groups.get(group)?.links === true),
    );
    if (caller.id === row.requester)
      throw new PlatformError(problems.approval_own, 'you asked for this run; another member of the group decides');
    if (groups.length === 0)
      throw new PlatformError(problems.approval_not_yours, `only members of ${[...asked].join(', ')} decide`);
    if (row.mode === 'live' && caller.mode !== 'live')
      throw new PlatformError('insufficient_scope', `${row.run_id} is a live run; decide with a live key`);
    if (shown !== row.digest)
      throw new PlatformError(problems.approval_differs, 'the digest is of something else than this approval');
    return groups;
  }

  #stateOf(
    { approval_id, expires_at }: Pick<ApprovalRow, 'approval_id' | 'expires_at'>,
    asked: readonly string[],
  ): ApprovalState {
    const url = this.#scope.addressOf(approval_id);
    return { id: approval_id, expires_at: timestamp(expires_at), url, asked };
  }

  #decidedEvent(row: ApprovalRow, { decision, caller }: Deciding, state: string): Operation {
    const { approval_id, run_id, orbiset_id, orb_id, tenant } = row;
    const data = { approval_id, run_id, orbiset_id, orb_id, decision, state, principal: caller.id };
    return this.#scope.runtime.recording({ type: 'approval.decided', scope: 'runs:read', tenant, data });
  }
}

/** What people decided by one approval. */
type OneAnswer = Omit<HeldAnswer, 'under'>;

function inOrder(earlier: readonly OneAnswer[], last: OneAnswer): HeldAnswer['named'] {
  return earlier.length === 0 ? last.named : { ...last.named, earlier: earlier.map(({ named }) => named) };
}

function answerOf({ row, bound, asks, decisions }: WholeApproval, run: HeldRun | undefined): OneAnswer {
  const { approval_id, state } = row;
  // The row is what they saw only if it still has its digest.
  const isIntact = digest(row.bound) === row.digest && state === 'approved';
  const same = isIntact && run !== undefined && covers(bound, boundOf(run, asks).bound);
  const named = { approval_id, digest: row.digest, decisions: decisions.map((one) => one.receipt_id) };
  return { named, state, approved: same ? approvedOf(asks, decisions) : [] };
}

function groupsIn(asks: readonly Ask[]): string[] {
  return [...new Set(asks.map(({ approvers }) => approvers))];
}

/** Names the reasons of asks, as the store compares them. */
export function reasonsIn(asks: readonly Pick<Ask, 'code'>[]): string {
  return [...new Set(asks.map(({ code }) => code))].sort().join(',');
}

function missing(approvalId: string): never {
  throw new PlatformError(
    problems.approval_not_found,
    `there is no approval ${approvalId}; GET /approvals lists yours`,
  );
}
