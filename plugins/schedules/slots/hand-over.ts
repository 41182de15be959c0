import { holds, operation, PlatformError, type Principal } from '../../../kernel/index.ts';
import type { ScheduleScope } from '../scope.ts';
import schedulesStore, { type ScheduleRow, type SlotRow } from '../store.ts';
import { openInputs } from './inputs.ts';
import { planOf, slotKey, type Plan } from './plan.ts';
import type { Stops } from './stops.ts';
import type { SlotTimes } from './times.ts';
import type { Runtime } from '../../runtime/contract.ts';

type HandOverScope = Omit<ScheduleScope, 'runtime' | 'incidents'> & {
  readonly runtime: Pick<Runtime, 'enqueue' | 'isWaiting'>;
  readonly stops: Stops;
};

/** A schedule whose slot is due. */
export type DueSchedule = ScheduleRow & { readonly next_at: number };

const retryMs = 30_000;
// The slot was being handed over by a node that has ended; its key is free soon.
const takenMs = 5000;

// The schedule cannot go on by itself.
const hopeless: ReadonlySet<string> = new Set(['orb_not_found', 'orbiset_not_found', 'invalid_inputs']);

// The same may succeed later.
const later: ReadonlySet<string> = new Set([
  ...['rate_limited', 'overloaded', 'queue_full', 'policy_unavailable', 'storage_unavailable', 'draining'],
  ...['idempotency_in_progress', 'internal'],
]);

/** Hands the run of a due slot to the queue of runs, at most once per slot, and plans the next slot. */
export class HandOver {
  readonly #options: HandOverScope;

  constructor(options: HandOverScope) {
    this.#options = options;
  }

  /** Takes the slot of a schedule; throws only when the store fails. */
  async take(schedule: DueSchedule, times: SlotTimes): Promise<void> {
    const { clock, credential, stops, runtime, reads } = this.#options;
    const principal = credential(schedule.key_id, { unexpired: true });
    if (principal === undefined) return stops.stop(schedule, 'credential_revoked');
    if (!holds(principal.scopes, 'orbs:execute', schedule.orb_id)) return stops.stop(schedule, 'insufficient_scope');
    const plan = planOf(schedule, schedule.next_at, clock.now(), times);
    // The clock was set back, and the slot comes again.
    if (await reads.isTaken(schedule.schedule_id, schedule.next_at)) return this.#pass(schedule, plan, 'missed');
    if (plan.act === 'missed') return this.#pass(schedule, plan, 'missed');
    const { overlap, last_run_id } = schedule;
    if (overlap === 'skip' && last_run_id !== null && (await runtime.isWaiting(last_run_id)))
      return this.#pass(schedule, plan, 'overlapped');
    try {
      const { run_id, replayed } = await this.#enqueue(schedule, plan, principal);
      // The key already has a run, so the slot was not written with it.
      if (replayed) await this.#pass(schedule, plan, 'run', { run_id, code: null });
    } catch (error) {
      await this.#failed(schedule, plan, error);
    }
  }

  async #enqueue(schedule: DueSchedule, plan: Plan, principal: Principal) {
    const { runtime } = this.#options;
    const { schedule_id, orbiset_id, orb_id, client_ip, next_at: planned } = schedule;
    const inputs = await openInputs(this.#options, schedule_id);
    const call = { orbiset_id, orb_id, inputs, principal, client_ip, channel: { kind: 'schedule' } };
    return runtime.enqueue(call, slotKey(schedule_id, planned), (run_id) => [
      this.#taking(schedule, plan, { outcome: 'run', run_id, code: null, passed: false }),
    ]);
  }

  async #failed(schedule: DueSchedule, plan: Plan, error: unknown): Promise<void> {
    const { log, store, clock, stops } = this.#options;
    const { schedule_id, next_at } = schedule;
    const problem = error instanceof PlatformError ? error : undefined;
    const code = problem?.code ?? 'internal';
    if (problem === undefined) log.error({ err: error, schedule_id }, 'the run of a schedule could not be queued');
    if (hopeless.has(code)) return stops.stop(schedule, code);
    if (later.has(code)) {
      const now = clock.now();
      const due_at = now + (code === 'idempotency_in_progress' ? takenMs : retryMs);
      await store.write([operation(schedulesStore, 'later', { schedule_id, next_at, due_at, now })]);
      return;
    }
    const run_id = problem?.extensions.run_id ?? null;
    const denied = code === 'access_denied' || code === 'approval_required';
    await this.#pass(schedule, plan, denied ? 'denied' : 'failed', { run_id, code });
  }

  // For a slot that another one has taken, this plans the next one alone.
  async #pass(
    schedule: DueSchedule,
    plan: Plan,
    outcome: SlotRow['outcome'],
    { run_id, code }: Known = unknown,
  ): Promise<void> {
    const taking = this.#taking(schedule, plan, { outcome, run_id, code, passed: true });
    await this.#options.store.write([taking]);
  }

  #taking({ schedule_id, next_at: planned_at }: DueSchedule, { next_at }: Plan, slot: Slot) {
    const { ids, clock } = this.#options;
    const taken = { slot_id: ids('slt'), schedule_id, planned_at, next_at, now: clock.now(), ...slot };
    return operation(schedulesStore, 'take', taken);
  }
}

type Known = Pick<SlotRow, 'run_id' | 'code'>;
type Slot = Known & Pick<SlotRow, 'outcome'> & { readonly passed: boolean };

const unknown: Known = { run_id: null, code: null };
