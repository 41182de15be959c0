import { definePlugin, every, operation } from '../../kernel/index.ts';
import { principals } from '../api-keys/contract.ts';
import { incidents } from '../ingestion/contract.ts';
import { runtime } from '../runtime/contract.ts';
import { certificateOf } from './certificates.ts';
import { examineAlerts } from './examination.ts';
import { failedAlerts, Messages } from './messages.ts';
import { alertsOf, config } from './settings.ts';
import { sourcesOf } from './sources.ts';
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
    const unread = (err: unknown): void =>
      log.debug({ err }, 'the certificate of the public address could not be read');
    const certificate = certificateOf(publicUrl, clock, unread);
    const stops: (() => void | Promise<void>)[] = [];
    hooks.ready.tap('alerts', () => {
      const watch = new Watch(scope, sourcesOf({ ...services, clock, certificate, incidents: services.incidents }));
      const messages = new Messages({ ...scope, principals: services.principals });
      const failed = (err: unknown): void => log.warn({ err }, 'alerts could not be handled; the server tries again');
      const look = async (): Promise<void> => {
        await watch.look('rest');
        await watch.tell();
        await messages.sweep();
      };
      const tidy = () => store.write([operation(alertsStore, 'tidy', { before: clock.now() - keptMs })]);
      // Each node looks at its own providers; one of them looks at the rest, and tells.
      stops.push(every(lookMs, () => watch.look('own'), failed));
      const held = store.peers.whenHeld('alerts', async () => {
        await watch.begin();
        const ends = [every(lookMs, look, failed), every(hourMs, tidy, failed)];
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
