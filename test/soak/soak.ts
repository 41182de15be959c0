import { startSmtp } from '../helpers/smtp.ts';
import { createBook, type Book } from './book.ts';
import { createCaller, makeCallers } from './callers.ts';
import { checkAfterRestart, checkAll, type CheckOptions } from './checks.ts';
import { createClient } from './client.ts';
import { createHome } from './home.ts';
import { createPolicyEditor, createPublisher, createSwapper, publishEcho, type Operation } from './operators.ts';
import { repeat, rest } from './pace.ts';
import { reportSoak } from './report.ts';
import { takeCollected, takeSample, type Sample } from './sampler.ts';
import { createSender, makeSenders } from './senders.ts';
import type { Settings } from './settings.ts';
import { createSite, type Site } from './site.ts';
import type { Row } from './table.ts';
import { createAuditor, createVisitor } from './visitors.ts';

/** What a soak ended with. */
export interface SoakReport {
  readonly rows: readonly Row[];
  /** What went wrong while it ran; the first thirty. */
  readonly faults: readonly string[];
  readonly held: boolean;
}

/** Runs the platform as a process under a mixed load, with restarts, and compares at the end what was told with what is there. */
export async function soak(settings: Settings, tell: (text: string) => void): Promise<SoakReport> {
  const mail = await startSmtp();
  const site = createSite(await createHome(mail));
  const book = createBook();
  const end = new AbortController();
  const samples: Sample[] = [];
  try {
    await site.start();
    const sampling = sampleUntil(site, settings, end.signal, samples);
    const load = await startLoad(
      { site, book, over: end.signal, client: createClient(site, book, end.signal) },
      settings,
    );
    const options: CheckOptions = { site, book, mail, verified: settings.verified };
    await restartAsPlanned(options, settings, tell);
    end.abort();
    await Promise.all([...load, sampling]);
    tell('the load is over; comparing');
    const checks = await checkAll(options);
    const code = await site.served.stop();
    if (code !== 0) book.fault(`the last SIGTERM ended with exit ${code}`);
    return reportSoak({ site, book, samples, checks, settings });
  } finally {
    end.abort();
    await site.served.remove();
    await mail.close();
  }
}

async function sampleUntil(
  site: Site,
  { sampleMs, collectMs }: Settings,
  over: AbortSignal,
  samples: Sample[],
): Promise<void> {
  for (let collected = Date.now(); !over.aborted; await rest(sampleMs, over)) {
    const due = Date.now() - collected >= collectMs;
    if (due) collected = Date.now();
    const sample = due ? await takeCollected(site) : takeSample(site);
    if (sample !== undefined) samples.push(sample);
  }
}

// About 25 runs a second, 6 deliveries, 12 reads: a machine of two cores breathes.
async function startLoad(operation: Operation, { pause }: Settings): Promise<readonly Promise<void>[]> {
  const { site, client, book, over } = operation;
  const callers = await makeCallers(client, site.adminKey);
  const senders = await makeSenders(client, site.adminKey);
  await publishEcho(operation);
  const every = (ms: number, work: (round: number) => Promise<void>) =>
    repeat({ everyMs: ms * pause, over, book }, work);
  const [first] = callers;
  if (first === undefined) throw new Error('there is no caller');
  return [
    ...callers.map((caller, n) => every(400, createCaller(caller, `c${n}`, client, book))),
    ...senders.map((sender) => every(700, createSender(sender, client, book))),
    every(1500, createSwapper(operation)),
    every(12_000, createPolicyEditor(operation, first)),
    every(4000, createPublisher(operation)),
    every(150, createVisitor(client)),
    every(600, createAuditor(client, callers, book)),
  ];
}

async function restartAsPlanned(
  options: CheckOptions,
  settings: Settings,
  tell: (text: string) => void,
): Promise<void> {
  const { site, book, mail } = options;
  const begun = Date.now();
  const never = new AbortController().signal;
  for (const { atMs, signal } of settings.restarts) {
    await rest(begun + atMs - Date.now(), never);
    // A kill hits hardest when a message was taken and that is not recorded yet.
    if (signal === 'SIGKILL') await Promise.race([mail.reached('data'), rest(5000, never)]);
    const code = await site.restart(signal);
    book.count(signal);
    if (signal === 'SIGTERM' && code !== 0) book.fault(`SIGTERM ended with exit ${code}`);
    tell(`${signal} after ${Math.round((Date.now() - begun) / 1000)} s; ${progress(book)}`);
    await checkAfterRestart(options);
  }
  for (const step = settings.lengthMs / 10; Date.now() < begun + settings.lengthMs;) {
    await rest(Math.min(step, begun + settings.lengthMs - Date.now()), never);
    tell(`${Math.round((Date.now() - begun) / 1000)} s; ${progress(book)}`);
  }
}

function progress({ runs, deliveries, swaps, faultCount }: Book): string {
  return `${runs.size} runs, ${deliveries.size} deliveries, ${swaps.size} swaps, ${faultCount} faults`;
}
