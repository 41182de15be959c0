import type { Metrics } from '../../kernel/index.ts';
import { services, statuses } from './contract.ts';
import type { Board } from './status/board.ts';
import type { Heart } from './status/heartbeat.ts';

/** Registers the metrics of the status. */
export function statusMetrics(
  metrics: Metrics,
  board: Pick<Board, 'snapshot'>,
  heart: Pick<Heart, 'lastSeconds'>,
): void {
  const words = statuses.map((status, value) => `${value} ${status}`).join(', ');
  metrics.collect('orb_component_status', `Status of each service of /status: ${words}`, 'gauge', async () => {
    const found = (await board.snapshot()).services;
    return services.map((component) => ({ labels: { component }, value: statuses.indexOf(found[component]) }));
  });
  metrics.collect('orb_uptime_ratio', 'Uptime as /status reports it, 0–1', 'gauge', async () => {
    const { uptime, byService } = await board.snapshot();
    const all = [['platform', uptime] as const, ...services.map((name) => [name, byService[name]] as const)];
    return all.map(([component, { uptime_pct: value }]) => ({
      labels: { component, window: '30d' },
      value: value / 100,
    }));
  });
  metrics.gauge('orb_heartbeat_write_seconds', 'Duration of the last write of the heartbeat', () => heart.lastSeconds);
}
