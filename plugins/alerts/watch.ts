import { operation, type Awaitable, type PluginScope } from '../../kernel/index.ts';
import type { Runtime } from '../runtime/contract.ts';
import { causes, type Cause } from './causes.ts';
import type { Alert } from './settings.ts';
import type { Source, Told } from './sources.ts';
import alertsStore, { type AlertEvent, type AlertReads, type DueSubject, type Finding } from './store.ts';
import { detailText, titleText, wordsOf } from './words.ts';

/** What the parts of the plugin share. */
export interface AlertsScope extends Pick<PluginScope<unknown, never>, 'clock' | 'ids' | 'log' | 'store'> {
  readonly reads: AlertReads;
  readonly runtime: Pick<Runtime, 'catalog' | 'enqueue' | 'findRuns' | 'orbs' | 'providers'>;
  readonly alerts: readonly Alert[];
  /** Finds the page that shows a path of the console. */
  readonly urlOf: (path: string) => string;
  /** Counts what became of messages. */
  readonly count: (when: Cause, outcome: 'done' | 'failed' | 'suppressed') => void;
}

// How long after a message about a subject the next one may follow.
const windowMs = 600_000;
// What happens at the same time is one message.
const settleMs = 1000;
const mostAtOnce = 100;
// Marks that a source was looked at.
const begun = '';

/** Finds what alerts are about, and makes the messages: at most one of each alert per subject in ten minutes. */
export class Watch {
  readonly #scope: AlertsScope;
  readonly #wanted: ReadonlySet<Cause>;
  readonly #sources: readonly Source[];
  readonly #others: readonly Source[];

  constructor(scope: AlertsScope, sources: readonly Source[]) {
    this.#scope = scope;
    this.#wanted = new Set(scope.alerts.map(({ when }) => when));
    const isWanted = ({ opened, closed = opened }: Source): boolean =>
      this.#wanted.has(opened) || this.#wanted.has(closed);
    this.#sources = sources.filter(isWanted);
    this.#others = sources.filter((source) => !isWanted(source));
    for (const when of this.#wanted)
      if (!sources.some(({ opened, closed }) => when === opened || when === closed))
        scope.log.warn({ when }, 'no plugin that is on reports what an alert is about');
  }

  /** Forgets what no alert is about any more, and notes what began before. */
  async begin(): Promise<void> {
    const sources = this.#others.map(({ name }) => name);
    const unwanted = { sources, causes: causes.filter((cause) => !this.#wanted.has(cause)) };
    await this.#scope.store.write([operation(alertsStore, 'forget', unwanted)]);
    for (const source of this.#sources) if (source.hasPast === true) await this.#look(source);
  }

  /** Looks at what each node finds, or at the rest. */
  async look(part: 'own' | 'rest'): Promise<void> {
    for (const source of this.#sources)
      if ((source.eachNode === true) === (part === 'own')) await this.#look(source);
      else if (part === 'rest' && this.#scope.store.shared) await this.#release(source);
  }

  // Compares what a source lists with what was found before, and counts what has begun or ended.
  async #look(source: Source): Promise<void> {
    const { reads, store } = this.#scope;
    const node = source.eachNode === true ? store.node.name : '';
    const known = new Map((await reads.states(source.name, node)).map(({ id, state }) => [id, state]));
    const isFirst = source.hasPast === true && !known.delete(begun);
    const { open, whole } = await source.look();
    const findings: Finding[] = isFirst ? [{ id: begun, state: begun }] : [];
    for (const { id, state, told } of open) {
      if (known.get(id) !== state)
        findings.push({ id, state, event: isFirst ? undefined : await this.#event(source.opened, told) });
      known.delete(id);
    }
    for (const id of whole ? known.keys() : []) findings.push(...(await this.#ended(source, id)));
    await this.#observed(source, node, findings);
  }

  // Takes back what nodes have found that are not there any more.
  async #release(source: Source): Promise<void> {
    const { reads, store } = this.#scope;
    const named = (await reads.nodes(source.name)).filter((name) => name !== store.node.name);
    const nodes = named.length === 0 ? [] : await store.peers.nodes();
    const living = new Set(nodes.flatMap(({ name, state }) => (state === 'live' ? [name] : [])));
    for (const node of named.filter((name) => !living.has(name))) {
      const findings: Finding[] = [];
      for (const { id } of await reads.states(source.name, node)) findings.push(...(await this.#ended(source, id)));
      await this.#observed(source, node, findings);
    }
  }

  async #ended(source: Source, id: string): Promise<readonly Finding[]> {
    const ended = await source.ended?.(id);
    if (ended === 'unknown') return [];
    const event = ended && source.closed && (await this.#event(source.closed, () => ended));
    return [{ id, state: null, event }];
  }

  async #event(cause: Cause, told: () => Awaitable<Told>): Promise<AlertEvent | undefined> {
    if (!this.#wanted.has(cause)) return undefined;
    const { subject, title, detail, path, providers = [] } = await told();
    const texts = { subject: titleText(subject), title: titleText(title), detail: detailText(detail) };
    return { cause, ...texts, path, providers };
  }

  async #observed({ name: source }: Source, node: string, findings: readonly Finding[]): Promise<void> {
    if (findings.length === 0) return;
    const { clock, store } = this.#scope;
    await store.write([operation(alertsStore, 'observe', { source, node, findings, now: clock.now() })]);
  }

  /** Makes the messages about the subjects that are due, one of each alert for all of them. */
  async tell(): Promise<void> {
    const { alerts, clock, ids, reads, store, urlOf } = this.#scope;
    const now = clock.now();
    for (const cause of this.#wanted) {
      const subjects = await reads.due(cause, now - windowMs, now - settleMs, now, now, mostAtOnce);
      if (subjects.length === 0) continue;
      const messages = alerts.flatMap((alert) => {
        const told = alert.when === cause ? subjects.filter((subject) => this.#isCarried(alert, subject)) : [];
        if (told.length === 0) return [];
        return [{ message_id: ids('alr'), alert: alert.key, cause, words: wordsOf(cause, told, urlOf) }];
      });
      await store.write([operation(alertsStore, 'tell', { subjects, messages, now })]);
    }
  }

  // A provider does not carry what is about itself: that would fail, and the failure would be told by it again.
  #isCarried({ orb_id, orbiset_id, place }: Alert, { cause, subject, providers: about }: DueSubject): boolean {
    if (about.length === 0) return true;
    const { runtime, log, count } = this.#scope;
    const serving = runtime.providers().filter(({ orbs }) => orbs.includes(orb_id));
    const active = serving.find(({ active_for }) => active_for.includes(orb_id));
    const admitted = runtime.catalog.orbisets.get(orbiset_id)?.providers;
    const isCarried = serving.some(
      ({ name, sandbox }) => sandbox === active?.sandbox && admitted?.includes(name) !== false && !about.includes(name),
    );
    if (isCarried) return true;
    const why = 'an alert is not sent, because only the provider that it is about could carry it';
    log.warn({ alert: place, when: cause, subject }, why);
    count(cause, 'suppressed');
    return false;
  }
}
