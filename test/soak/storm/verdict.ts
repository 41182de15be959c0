import type { ClusterNode } from '../../helpers/cluster.ts';
import { expectSound, settle, type Figures } from '../../cluster/weather/check.ts';
import type { Course } from './storm.ts';
import { slotFigures } from './slots.ts';
import { allowedProviders } from './swaps.ts';

/** What a storm has shown: it held when there is no fault. */
export interface Verdict {
  readonly faults: readonly string[];
}

const shown = 20;
/** One run of so many is proved by Go's libraries, beside the check of every receipt. */
const provedEach = 50;

/** Compares what callers were told with the rows, the mails and the receipts. */
export async function judge(course: Course, say: (text: string) => void): Promise<Verdict> {
  const { callers, load, mails, revocations, site, swaps } = course;
  const cluster = { ...site.cluster, postgres: site.primary, smtp: { ...site.cluster.smtp, messages: mails.messages } };
  const [first] = cluster.nodes as [ClusterNode];
  say(`answers ${JSON.stringify(callers.answers)}, longest ${Math.round(callers.longestMs)} ms`);
  say(
    `swaps ${JSON.stringify(swaps.answers)}, keys revoked ${revocations.revoked}, ends ${JSON.stringify(site.supervisor.ends)}`,
  );
  const found = await settle(cluster, first, [load]);
  say(`${found.runs} runs ${JSON.stringify(found.ended)}, ${mails.arrivals.length} mails`);
  const slots = await slotFigures(cluster, site.primary, { ...course.schedules, mails: countIn(course) });
  say(`slots ${JSON.stringify(slots.outcomes)}`);
  const faults = [
    ...faultsOf(found),
    ...strayMails(course),
    ...(await doubledRows(course, found)),
    ...(await falseIncidents(course, say)),
    ...callers.odd.map((text) => `an answer that no fault explains: ${text}`),
    ...revocations.faults,
    ...slots.faults,
    ...site.supervisor.faults,
    ...(await unsound(course, cluster)),
  ];
  return { faults };
}

function faultsOf({ doubled, lost, unaccounted, unreceipted }: Figures): readonly string[] {
  return Object.entries({ doubled, lost, unaccounted, unreceipted }).flatMap(([name, tokens]) =>
    tokens.length === 0 ? [] : [`${tokens.length} ${name}: ${tokens.slice(0, shown).join(', ')}`],
  );
}

const countIn =
  ({ mails }: Course) =>
  (subject: string): number =>
    mails.arrivals.filter((arrival) => arrival.subject === subject).length;

/** Mails of runs that began after a swap was answered, and went by the provider before it. */
function strayMails({ callers, mails, swaps }: Course): readonly string[] {
  return mails.arrivals.flatMap(({ at, provider, subject }) => {
    const askedAt = callers.firstCall.get(subject);
    if (askedAt === undefined || allowedProviders(swaps.all, askedAt, at).includes(provider)) return [];
    return [
      `${subject} went by ${provider}, which had been swapped out: ${Math.round(at - askedAt)} ms after its call`,
    ];
  });
}

/** Completed runs of mails are as many as the keys that completed one. */
async function doubledRows({ mails, site }: Course, { ended }: Figures): Promise<readonly string[]> {
  const client = await site.primary.client(site.cluster.database);
  const { rows } = await client.query<{ status: string; runs: string }>(
    "SELECT status, count(*) AS runs FROM runtime_runs WHERE orbiset_id = 'default' AND orb_id = 'notify.email@1.0.0' GROUP BY 1",
  );
  const runs = Number(rows.find(({ status }) => status === 'completed')?.runs);
  const subjects = new Set(mails.arrivals.map(({ subject }) => subject).filter((one) => !one.startsWith('slot-')));
  if (runs <= subjects.size) return [];
  return [`${runs} completed runs in the rows, ${subjects.size} keys had a mail; ${JSON.stringify(ended)}`];
}

interface Incident {
  readonly incident_id: string;
  readonly kind: string;
  readonly severity: string;
  readonly title: string;
  readonly scope: readonly { readonly kind: string; readonly id: string }[];
}

/** Incidents about what was whole: receipts and providers were so at all times. */
async function falseIncidents({ site }: Course, say: (text: string) => void): Promise<readonly string[]> {
  const [first] = site.cluster.nodes as [ClusterNode];
  const { body } = await site.cluster.call<{ incidents: readonly Incident[] }>(first, 'GET', '/incidents?limit=100');
  for (const { kind, scope, severity, title } of body.incidents)
    say(`incident: ${kind} ${severity} ${title} ${JSON.stringify(scope)}`);
  return body.incidents
    .filter(({ kind, scope }) => kind === 'integrity' || scope.some((one) => one.kind !== 'component'))
    .map(({ incident_id, title }) => `${incident_id} tells of what was whole: ${title}`);
}

async function unsound({ load }: Course, cluster: Parameters<typeof expectSound>[0]): Promise<readonly string[]> {
  const told = load.told.filter((_, number) => number % provedEach === 0);
  try {
    await expectSound(cluster, [{ ...load, told }]);
    return [];
  } catch (error) {
    return [`a shard or the ledger is not sound: ${String(error)}`];
  }
}
