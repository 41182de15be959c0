import { fine, type Examination } from '../../kernel/index.ts';

const name = 'alerts';

interface Overview {
  readonly concerns: readonly {
    readonly name: string;
    readonly newest: readonly { readonly id: string; readonly title: string; readonly reason?: string }[];
  }[];
}

/** Names the alerts that do not arrive: what they are about may happen unnoticed. */
export const examineAlerts: Examination = async ({ client }) => {
  let overview: Overview;
  try {
    overview = await client().request<Overview>('GET', '/overview');
  } catch (error) {
    return [{ name, state: 'skipped', detail: error instanceof Error ? error.message : String(error) }];
  }
  const failed = overview.concerns.find((concern) => concern.name === 'failed_alerts');
  if (failed === undefined) return [];
  if (failed.newest.length === 0) return [fine(name, 'none failed, and each has a provider')];
  return failed.newest.map(({ id, title, reason = '' }) => ({
    ...{ name, state: 'warning' as const, detail: `${id}, ${title}: ${reason}` },
    remedy: 'Check the Orb and its provider; orb runs show says why a run failed.',
  }));
};
