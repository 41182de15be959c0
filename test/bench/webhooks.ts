import { join } from 'node:path';
import { readBack, sendBurst, type Burst } from './burst.ts';
import { load, startLoad, writeScript, type Round } from './load.ts';
import { makeDeliveries, makeSource } from './pagerduty.ts';
import { quiet } from './quiet.ts';
import { startGoverned } from './server.ts';
import { percent, printTable, times, type Row } from './table.ts';

const senders = 64;
const callers = 32;
const longestSeconds = 600;

interface Scenario {
  readonly burst: Burst;
  /** Deliveries that were acknowledged and can be read back, and those of them that became signals. */
  readonly stored: number;
  readonly done: number;
  /** Governed runs before the burst, and while it was taken in and folded. */
  readonly alone?: Round;
  readonly beside?: Round;
}

/** Prints how a burst of signed webhooks is taken in, alone and while governed runs go on, and what is stored of it. */
export async function webhookBurst(
  dir: string,
  { seconds, count }: { readonly seconds: number; readonly count: number },
): Promise<void> {
  const alone = await scenario(dir, count, undefined);
  const beside = await scenario(dir, count, seconds);
  const base = rateOf(alone.burst);
  printTable(
    `${count} deliveries of PagerDuty, signed, by ${senders} connections`,
    [
      'ack’ed per s',
      'of alone',
      'p50 ms',
      'p99 ms',
      'CPU µs',
      'refused',
      'stored of ack’ed',
      'done',
      'folded after ms',
    ],
    [row('alone', alone, base), row(`beside runs, ${callers} connections`, beside, base)],
  );
  console.log(
    '  CPU µs: per delivery, until all are folded; folded: none waits any more, counted from the last answer',
  );
  if (beside.alone === undefined || beside.beside === undefined) return;
  printTable(
    `Governed runs, ${callers} connections`,
    ['per s', 'p50 ms', 'p99 ms', 'of alone', 'errors'],
    [runsRow('alone', beside.alone, beside.alone), runsRow('beside the deliveries', beside.beside, beside.alone)],
  );
}

async function scenario(dir: string, count: number, seconds: number | undefined): Promise<Scenario> {
  const target = await startGoverned();
  const script = join(dir, 'webhooks.lua');
  writeScript(script, target.key);
  try {
    const warm = await makeSource(target);
    await sendBurst(target, warm, makeDeliveries(warm, Math.min(count, 500), 'W'), senders);
    const source = await makeSource(target);
    const deliveries = makeDeliveries(source, count, 'B');
    const send = () => sendBurst(target, source, deliveries, senders);
    if (seconds === undefined) {
      await quiet(target.pid);
      return await compared(await send(), () => readBack(target, source));
    }
    await load(target, script, callers, 2);
    const alone = await load(target, script, callers, seconds);
    const running = startLoad(target, script, callers, longestSeconds);
    let burst: Awaited<ReturnType<typeof send>>;
    try {
      burst = await send();
    } finally {
      await running.stop();
    }
    const beside = await running.ended;
    return { ...(await compared(burst, () => readBack(target, source))), alone, beside };
  } finally {
    await target.stop();
  }
}

async function compared(burst: Burst, read: () => Promise<ReadonlyMap<string, string>>): Promise<Scenario> {
  const found = await read();
  const states = burst.acknowledged.map((id) => found.get(id));
  const stored = states.filter((state) => state !== undefined).length;
  return { burst, stored, done: states.filter((state) => state === 'done').length };
}

function rateOf({ acknowledged, took }: Burst): number {
  return (acknowledged.length / took) * 1000;
}

function row(name: string, { burst, stored, done, beside }: Scenario, base: number): Row {
  const { acknowledged, refused, p50, p99, cpuMicros, folded } = burst;
  return [
    name,
    rateOf(burst).toFixed(0),
    percent(rateOf(burst), base),
    p50.toFixed(1),
    p99.toFixed(1),
    // Beside runs it cannot be told apart.
    beside === undefined ? cpuMicros.toFixed(0) : '–',
    [...refused].map(([status, times]) => `${times} × ${status}`).join(', ') || '0',
    `${stored} of ${acknowledged.length}`,
    String(done),
    folded.toFixed(0),
  ];
}

function runsRow(name: string, round: Round, alone: Round): Row {
  const { errors, p50, p99, perSecond } = round;
  return [name, perSecond.toFixed(0), p50.toFixed(2), p99.toFixed(2), times(p99, alone.p99), String(errors)];
}
