import { definePlugin, every, operation } from '../../kernel/index.ts';
import { principals } from '../api-keys/contract.ts';
import { incidents } from '../ingestion/contract.ts';
import { runtime } from '../runtime/contract.ts';
import { causes } from './causes.ts';
import { certificateReader } from './certificates.ts';
import { examineAlerts } from './examination.ts';
import { failedAlerts, Messages } from './messages.ts';
import { alertsOf, config } from './settings.ts';
import { sourcesOf, type Source } from './sources.ts';
import alertsStore from './store.ts';
import { Watch, type AlertsScope } from './watch.ts';

const lookMs = 1000;
const hourMs = 3_600_000;
const keptMs = 7 * 86_400_000;

/** Sends messages about what happens to the installation, by runs of Orbs. */
export default definePlugin({
  name: 'alerts',
  ids: ['alr'],
  config,
  requires: { runtime },
  uses: { incidents, principals },
  keeps: [
    {
      what: 'messages of alerts, and what they are about',
      tables: ['alerts_messages', 'alerts_states', 'alerts_subjects'],
      advice: 'Messages are deleted after a week.',
    },
  ],
  examinations: [examineAlerts],
  store: alertsStore,
  start(given) {
    const { clock, hooks, log, metrics, publicUrl, services, store, wholeUrl } = given;
    const alerts = alertsOf(given.config, services.runtime.catalog);
    const labels = ['when', 'outcome'];
    const told = metrics.counter('orb_alerts_total', 'Messages of alerts, by cause and by what became of them', labels);
    if (alerts.length === 0) return {};
    const scope: AlertsScope = {
      ...given,
      ...{ alerts, runtime: services.runtime, reads: store.reads(alertsStore) },
      urlOf: (path) => (wholeUrl === undefined ? `${publicUrl}/status.html` : `${wholeUrl}/console${path}`),
      count: (when, outcome) => told.inc({ when, outcome }),
    };
    services.runtime.concern(failedAlerts(scope));
    const unread = (host: string, err: unknown): void => log.debug({ err, host }, 'a certificate could not be read');
    const certificates = certificateReader([publicUrl, wholeUrl ?? publicUrl], clock, unread);
    const stops: (() => void | Promise<void>)[] = [];
    hooks.ready.tap('alerts', () => {
      const sources = sourcesOf({ runtime: services.runtime, incidents: services.incidents, clock, certificates });
      const ways = watched(scope, sources, new Messages({ ...scope, principals: services.principals }));
      const failed = (err: unknown): void => log.warn({ err }, 'alerts could not be handled; the server tries again');
      // Each node looks at its own providers; one of them looks at the rest, and tells.
      if (store.shared) stops.push(every(lookMs, ways.own, failed));
      const held = store.peers.whenHeld('alerts', async () => {
        await ways.begin();
        const ends = [every(lookMs, ways.all, failed), every(hourMs, ways.tidy, failed)];
        return () => ends.forEach((end) => end());
      });
      stops.push(() => held.stop());
      return held.begun;
    });
    return {
      async stop() {
        for (const stop of stops) await stop();
      },
    };
  },
});

/** Makes the work of the plugin: that of each node, and that of the one that tells. */
function watched(scope: AlertsScope, all: readonly Source[], messages: Messages) {
  const { alerts, clock, log, store } = scope;
  const wanted = new Set(alerts.map(({ when }) => when));
  const isWanted = ({ opened, closed = opened }: Source): boolean => wanted.has(opened) || wanted.has(closed);
  const sources = all.filter(isWanted);
  const own = sources.filter(({ eachNode }) => eachNode === true);
  const watch = new Watch(scope);
  for (const when of wanted)
    if (!sources.some(({ opened, closed }) => when === opened || when === closed))
      log.warn({ when }, 'no plugin that is on reports what an alert is about');
  const unwanted = {
    sources: all.filter((source) => !sources.includes(source)).map(({ name }) => name),
    causes: causes.filter((cause) => !wanted.has(cause)),
  };
  return {
    /** Notes what began before. */
    begin: async (): Promise<void> => {
      await store.write([operation(alertsStore, 'forget', unwanted)]);
      for (const source of sources) if (source.hasPast === true) await watch.look(source);
    },
    own: async (): Promise<void> => {
      for (const source of own) await watch.look(source);
    },
    all: async (): Promise<void> => {
      for (const source of sources) if (!store.shared || source.eachNode !== true) await watch.look(source);
      for (const source of own) await watch.release(source);
      await watch.tell();
      await messages.sweep();
    },
    tidy: () => store.write([operation(alertsStore, 'tidy', { before: clock.now() - keptMs })]),
  };
}
