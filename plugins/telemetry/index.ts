import { definePlugin } from '../../kernel/index.ts';
import { providerSwapped, tracing } from '../runtime/contract.ts';
import { config, settingsOf } from './settings.ts';

/** Exports traces and metrics to an OpenTelemetry collector, when one is configured. */
export default definePlugin({
  name: 'telemetry',
  config,
  provides: { tracing },
  async start(scope) {
    const { clock, hooks, log, metrics, platform, version } = scope;
    const spans = metrics.counter('orb_telemetry_spans_total', 'Spans by what became of them', ['result']);
    const sent = metrics.counter('orb_telemetry_metric_exports_total', 'Exports of metrics by result', ['result']);
    const about = {
      ...{ 'service.name': 'agent-orb-platform', 'service.version': version },
      'service.instance.id': platform.node.name,
    };
    const settings = settingsOf(scope.config, process.env, about);
    if (settings === undefined) return { services: { tracing: null } };
    // Only now: without a collector nothing of it is loaded.
    const { openExport } = await import('./otlp/export.ts');
    const exporting = await openExport(settings, {
      ...{ log, metrics, version, now: () => clock.now() },
      countSpans: (result, count) => spans.inc({ result }, count),
      countMetrics: (result) => sent.inc({ result }),
    });
    const { traces } = settings;
    hooks.of(providerSwapped).tap('telemetry', (swap) => exporting.swapped(swap));
    log.info({ traces: traces?.origin, metrics: settings.metrics?.origin }, 'telemetry is exported to a collector');
    return {
      services: { tracing: exporting.tracing },
      open: async () => ({ close: () => exporting.close() }),
      stop: () => exporting.stop(),
    };
  },
});
