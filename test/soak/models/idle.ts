// node test/soak/models/idle.ts: prints how much memory streams need that wait for their model.
// IDLE_STREAMS: how many; IDLE_WARM_UP: how many calls the server has served before, 0 for a fresh one.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { each } from '../../helpers/each.ts';
import { bodyOf, gatewayData, gatewayEnv, pathOf, providerOf, type Api } from '../../plugins/models/faults/gateway.ts';
import { startBillingVendor } from '../../plugins/models/faults/vendor.ts';
import { startGoverned, type Target } from '../../bench/server.ts';

const count = Number(process.env['IDLE_STREAMS'] ?? 1000);
const warmUp = Number(process.env['IDLE_WARM_UP'] ?? 1500);
const restMs = 10_000;

const vendor = await startBillingVendor('vendor');
const settings = {
  providers: { vendor: providerOf('openai', vendor.url, { max_connections: 4096 }) },
  bindings: { 'llm.chat@1.0.0': ['vendor'] },
};
const target = await startGoverned({ settings, env: gatewayEnv, data: gatewayData(1 + count) });
try {
  await each(Array.from({ length: warmUp }), async (_) => (await open(target, 0)).text());
  await pause(restMs);
  const before = megabytes(target);
  const held = Promise.withResolvers<void>();
  vendor.plan = () => ({ hold: { after: 4, until: held.promise } });
  const numbers = Array.from({ length: count }, (_, at) => 1 + at);
  const streams = await each(numbers, (number) => open(target, number));
  const begun = await Promise.all(streams.map(firstOf));
  if (begun.some((text) => !text.includes('data: '))) throw new Error('a stream has not begun');
  await pause(restMs);
  const during = megabytes(target);
  held.resolve();
  const ended = await Promise.all(streams.map((stream) => stream.text().catch(() => '')));
  const whole = ended.filter((text) => /\[DONE\]|message_stop/.test(text)).length;
  const added = during - before;
  const perStream = ((added * 1024) / count).toFixed(0);
  console.log(
    `${count} idle streams: RSS ${before.toFixed(0)} MB before, ${during.toFixed(0)} MB during, ${added.toFixed(0)} MB added, ${perStream} KiB each; ${whole} ended whole`,
  );
  if (whole !== count) process.exitCode = 1;
} finally {
  await target.stop();
  await vendor.close();
}

/** A stream whose beginning was read. */
interface Open {
  readonly reader: AsyncIterator<string>;
  text(): Promise<string>;
}

async function open({ key, url }: Target, number: number): Promise<Open> {
  const door: Api = number % 2 === 0 ? 'openai' : 'anthropic';
  const response = await fetch(url + pathOf(door), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf(door, number)),
  });
  if (!response.ok || response.body === null) throw new Error(`a call failed: ${await response.text()}`);
  const reader = response.body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  return {
    reader,
    async text() {
      let text = '';
      for (let next = await reader.next(); next.done !== true; next = await reader.next()) text += next.value;
      return text;
    },
  };
}

async function firstOf({ reader }: Open): Promise<string> {
  const { value } = (await reader.next()) as { readonly value?: string };
  return value ?? '';
}

function megabytes({ pid }: Target): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
