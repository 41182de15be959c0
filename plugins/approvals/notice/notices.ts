import { operation, PlatformError, type Operation } from '../../../kernel/index.ts';
import type { Principals } from '../../api-keys/contract.ts';
import type { Runtime } from '../../runtime/contract.ts';
import type { ApprovalNotice } from '../contract.ts';
import type { Desk, DeskScope, WholeApproval } from '../desk.ts';
import type { Links } from '../links.ts';
import approvalsStore from '../store.ts';
import type { NoticeRow } from '../tables/notices.ts';
import { filled, noticeWords } from './words.ts';

/** What notices need. */
export interface NoticesScope extends Pick<DeskScope, 'clock' | 'groups' | 'log' | 'reads' | 'store' | 'addressOf'> {
  readonly desk: Desk;
  readonly links: Links;
  readonly runtime: Pick<Runtime, 'catalog' | 'enqueue' | 'findOpenRun' | 'findRuns'>;
  /** Absent: the platform has no principal of its own, so no notice is sent. */
  readonly principals: Pick<Principals, 'platform'> | undefined;
  /** Counts what became of notices. */
  readonly count: (outcome: 'done' | 'failed') => void;
}

type Outcome = Pick<NoticeRow, 'state'> & Partial<Pick<NoticeRow, 'due_at' | 'run_id' | 'code'>>;

const mostAtOnce = 100;
const retryMs = 30_000;

// The same may succeed later.
const later: ReadonlySet<string> = new Set([
  ...['rate_limited', 'overloaded', 'queue_full', 'policy_unavailable', 'storage_unavailable', 'draining'],
  ...['idempotency_in_progress', 'internal'],
]);

/**
 * Tells approvers of what is asked of them: each notice is a run of a notify Orb by the platform itself, which policy
 * decides and which has a receipt. What becomes of a notice changes nothing about its approval.
 */
export class Notices {
  readonly #scope: NoticesScope;

  constructor(scope: NoticesScope) {
    this.#scope = scope;
  }

  /** Hands over the runs of the notices that are due, and notes how earlier ones ended. */
  async sweep(): Promise<void> {
    const { reads, clock } = this.#scope;
    const now = clock.now();
    for (const notice of await reads.notices('due', now, mostAtOnce)) await this.#handOver(notice);
    await this.#follow(await reads.notices('sent', now, mostAtOnce));
  }

  async #handOver(notice: NoticeRow): Promise<void> {
    const { desk, groups, clock } = this.#scope;
    const whole = await desk.whole(notice.approval_id);
    if (whole?.row.state !== 'open' || whole.row.expires_at <= clock.now())
      return this.#note(notice, { state: 'dropped' });
    // The settings may have changed since.
    const told = groups.get(notice.asked)?.notify?.[notice.place];
    if (told === undefined) return this.#note(notice, { state: 'dropped' });
    try {
      await this.#enqueue(notice, whole, told);
    } catch (error) {
      await this.#failed(notice, error);
    }
  }

  async #enqueue(
    notice: NoticeRow,
    whole: WholeApproval,
    { orb, orbiset, member, inputs }: ApprovalNotice,
  ): Promise<void> {
    const { runtime, principals, links, addressOf } = this.#scope;
    const found = runtime.catalog.orbisets.get(orbiset);
    if (found === undefined) throw new PlatformError('orbiset_not_found', `there is no Orbiset ${orbiset}`);
    if (principals === undefined) throw new PlatformError('unauthenticated', 'the plugin api-keys is off');
    const principal = await principals.platform(found.tenant);
    const { asked } = notice;
    const link = member === undefined ? undefined : await links.create(whole, { asked, principal: member });
    const address = link?.url ?? addressOf(whole.row.approval_id);
    const words = noticeWords(whole, asked, { url: address, byLink: link !== undefined });
    const call = {
      ...{ orbiset_id: orbiset, orb_id: orb, principal, client_ip: '127.0.0.1', channel: { kind: 'approval' } },
      // Inputs are an object, and stay one.
      inputs: filled(inputs, words) as Readonly<Record<string, unknown>>,
      // Nobody approves a notice: that would ask for another one.
      hold: 'refuse',
    } as const;
    const sent = (run_id: string): Outcome => ({ state: 'sent', run_id });
    const { run_id, replayed } = await runtime.enqueue(call, notice.notice_id, (id) => [
      this.#noting(notice, sent(id)),
      ...(link === undefined ? [] : [link.write]),
    ]);
    // A process died between the run and this; its link is unknown, and a person signs in instead.
    if (replayed) await this.#note(notice, sent(run_id));
  }

  async #failed(notice: NoticeRow, error: unknown): Promise<void> {
    const { clock, log } = this.#scope;
    const known = error instanceof PlatformError ? error : undefined;
    const code = known?.code ?? 'internal';
    if (known === undefined)
      log.error({ err: error, ...naming(notice) }, 'a notice of an approval could not be queued');
    if (later.has(code)) return this.#note(notice, { state: 'due', due_at: clock.now() + retryMs });
    await this.#ended(notice, { state: 'failed', code, run_id: known?.extensions.run_id ?? null });
  }

  async #follow(sent: readonly NoticeRow[]): Promise<void> {
    const { runtime } = this.#scope;
    const ids = sent.flatMap(({ run_id }) => run_id ?? []);
    if (ids.length === 0) return;
    const ended = new Map((await runtime.findRuns(ids)).map((run) => [run.run_id, run]));
    for (const notice of sent) {
      const { run_id } = notice;
      const run = ended.get(run_id ?? '');
      if (run === undefined) continue;
      const isDone = run.status === 'completed';
      await this.#ended(
        notice,
        isDone ? { state: 'done', run_id } : { state: 'failed', run_id, code: run.reason ?? run.status },
      );
    }
  }

  async #ended(notice: NoticeRow, outcome: Outcome & { readonly state: 'done' | 'failed' }): Promise<void> {
    const { count, log } = this.#scope;
    await this.#note(notice, outcome);
    count(outcome.state);
    if (outcome.state === 'done') return;
    const { code, run_id } = outcome;
    log.warn({ ...naming(notice), run_id, code }, 'a notice of an approval was not sent; the approval stays open');
  }

  async #note(notice: NoticeRow, outcome: Outcome): Promise<void> {
    await this.#scope.store.write([this.#noting(notice, outcome)]);
  }

  #noting(
    { notice_id, due_at: before }: NoticeRow,
    { state, due_at = before, run_id = null, code = null }: Outcome,
  ): Operation {
    return operation(approvalsStore, 'noteNotice', { notice_id, state, due_at, run_id, code });
  }
}

function naming({ approval_id, asked }: NoticeRow) {
  return { approval_id, group: asked };
}
