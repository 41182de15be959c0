import { operation, PlatformError, type Operation } from '../../kernel/index.ts';
import type { Principals } from '../api-keys/contract.ts';
import { concernOf, type Concern, type ConcernItem } from '../runtime/contract.ts';
import type { Alert } from './settings.ts';
import alertsStore, { type MessageRow } from './store.ts';
import type { AlertsScope } from './watch.ts';
import { filled, type Words } from './words.ts';

type Outcome = Pick<MessageRow, 'state'> & Partial<Pick<MessageRow, 'due_at' | 'run_id' | 'code'>>;

const mostAtOnce = 100;
const retryMs = 30_000;
const longestMs = 3_600_000;

// The same may succeed later.
const later: ReadonlySet<string> = new Set([
  ...['rate_limited', 'overloaded', 'queue_full', 'policy_unavailable', 'storage_unavailable', 'draining'],
  ...['idempotency_in_progress', 'internal'],
]);

/** Sends the messages of alerts: each is a run by the platform itself, which policy decides and which has a receipt. */
export class Messages {
  readonly #scope: AlertsScope & { readonly principals: Pick<Principals, 'own'> | undefined };

  constructor(scope: AlertsScope & { readonly principals: Pick<Principals, 'own'> | undefined }) {
    this.#scope = scope;
  }

  /** Hands over the runs of the messages that are due, and notes how earlier ones ended. */
  async sweep(): Promise<void> {
    const { reads, clock } = this.#scope;
    const now = clock.now();
    for (const message of await reads.messages('due', now, mostAtOnce)) await this.#handOver(message);
    await this.#follow(await reads.messages('sent', now, mostAtOnce));
  }

  async #handOver(message: MessageRow): Promise<void> {
    const alert = this.#scope.alerts.find(({ key }) => key === message.alert);
    if (alert === undefined) return this.#note(message, { state: 'dropped' });
    try {
      await this.#enqueue(message, alert);
    } catch (error) {
      await this.#refused(message, error);
    }
  }

  async #enqueue(message: MessageRow, { orb_id, orbiset_id, inputs }: Alert): Promise<void> {
    const { runtime, principals, alerts } = this.#scope;
    const { orbisets } = runtime.catalog;
    const tenant = orbisets.get(orbiset_id)?.tenant;
    if (tenant === undefined) throw new PlatformError('orbiset_not_found', `there is no Orbiset ${orbiset_id}`);
    if (principals === undefined) throw new PlatformError('unauthenticated', 'the plugin api-keys is off');
    const own = alerts.filter((one) => orbisets.get(one.orbiset_id)?.tenant === tenant);
    const scopes = [...new Set(own.map((one) => `orbs:execute:${one.orb_id}`))].sort();
    const call = {
      ...{ orbiset_id, orb_id, client_ip: '127.0.0.1', channel: { kind: 'alert' } },
      principal: await principals.own(tenant, { name: 'alerts', scopes }),
      inputs: filled(inputs, JSON.parse(message.words) as Words),
      // People who must approve a message would be asked, and an alert be sent about it.
      hold: 'refuse',
    } as const;
    const sent = (run_id: string): Outcome => ({ state: 'sent', run_id });
    const { run_id, replayed } = await runtime.enqueue(call, message.message_id, (id) => [
      this.#noting(message, sent(id)),
    ]);
    if (replayed) await this.#note(message, sent(run_id));
  }

  async #refused(message: MessageRow, error: unknown): Promise<void> {
    const { clock, log } = this.#scope;
    const known = error instanceof PlatformError ? error : undefined;
    const code = known?.code ?? 'internal';
    if (known === undefined) log.error({ err: error, when: message.cause }, 'an alert could not be queued');
    const now = clock.now();
    if (later.has(code) && now - message.created_at < longestMs)
      return this.#note(message, { state: 'due', due_at: now + retryMs });
    await this.#ended(message, { state: 'failed', code, run_id: known?.extensions.run_id ?? null });
  }

  async #follow(sent: readonly MessageRow[]): Promise<void> {
    const ids = sent.flatMap(({ run_id }) => run_id ?? []);
    if (ids.length === 0) return;
    const ended = new Map((await this.#scope.runtime.findRuns(ids)).map((run) => [run.run_id, run]));
    for (const message of sent) {
      const run = ended.get(message.run_id ?? '');
      if (run === undefined) continue;
      const { run_id, status } = run;
      const isDone = status === 'completed';
      const failed = { state: 'failed', run_id, code: run.reason ?? status } as const;
      await this.#ended(message, isDone ? { state: 'done', run_id } : failed);
    }
  }

  async #ended(message: MessageRow, outcome: Outcome & { readonly state: 'done' | 'failed' }): Promise<void> {
    const { count, log } = this.#scope;
    await this.#note(message, outcome);
    count(message.cause, outcome.state);
    if (outcome.state === 'done') return;
    const { code, run_id } = outcome;
    log.warn({ when: message.cause, run_id, code }, 'the run of an alert did not complete');
  }

  async #note(message: MessageRow, outcome: Outcome): Promise<void> {
    await this.#scope.store.write([this.#noting(message, outcome)]);
  }

  #noting(
    { message_id, due_at: before }: MessageRow,
    { state, due_at = before, run_id = null, code = null }: Outcome,
  ): Operation {
    return operation(alertsStore, 'note', { message_id, state, due_at, run_id, code });
  }
}

/** The alerts that do not arrive: the last message failed, or no provider serves the Orb. */
export function failedAlerts({ alerts, reads, runtime }: Pick<AlertsScope, 'alerts' | 'reads' | 'runtime'>): Concern {
  const faultOf = async ({ key, orb_id }: Alert): Promise<Omit<ConcernItem, 'id' | 'title'> | undefined> => {
    if (!runtime.orbs().some((orb) => orb.orb_id === orb_id)) return { reason: 'no provider serves its Orb' };
    const last = await reads.last(key);
    if (last?.state !== 'failed') return undefined;
    const link = last.run_id === null ? undefined : `/runs/${last.run_id}`;
    return { reason: `its last run did not complete (${last.code})`, link };
  };
  return {
    name: 'failed_alerts',
    scope: 'providers:read',
    link: '/runs?status=failed',
    async find() {
      const found: ConcernItem[] = [];
      for (const alert of alerts) {
        const fault = await faultOf(alert);
        if (fault !== undefined) found.push({ id: alert.place, title: `${alert.when} by ${alert.orb_id}`, ...fault });
      }
      return concernOf(found);
    },
  };
}
