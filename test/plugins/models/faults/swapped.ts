import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { chatOrb } from '../../../../plugins/models/scope.ts';
import { until } from '../../../helpers/until.ts';
import { askAt, type Heard } from './clients.ts';
import { bodyOf, modelOf, pathOf, providerOf, type Api } from './gateway.ts';
import { byModel, reading, recordsOf, type Get, type RecordedCall } from './records.ts';
import { startBillingVendor, type BillingVendor } from './vendor.ts';

const headEvents = 6;
// What is of one answer.
const varying = /^(content-length|date|request-id|traceparent|x-request-id|x-orb-provider|x-orb-run-id|.*ratelimit.*)$/;

/** The vendors of both providers. */
export interface Vendors {
  readonly old: BillingVendor;
  readonly next: BillingVendor;
}

/** Starts the vendors of both providers. */
export async function startVendors(): Promise<Vendors> {
  const [old, next] = await Promise.all(['old', 'next'].map(startBillingVendor));
  return { old, next } as Vendors;
}

/** The settings of a platform whose provider `old` is to be swapped for `next`, which speaks another API. */
export function swapPlatform({ next, old }: Vendors) {
  const room = { max_connections: 4096 };
  return {
    // A metered run goes on for as long as its own time limit.
    swap_drain_ms: 0,
    providers: { old: providerOf('openai', old.url, room), next: providerOf('anthropic', next.url, room) },
    bindings: { [chatOrb]: ['old'] },
  };
}

/** The nodes of one installation. */
export interface Site {
  readonly urls: readonly string[];
  readonly key: string;
}

/** How many streams run when the provider is swapped, as many come while it is, and as many after. */
export interface SwapLoad {
  readonly count: number;
  /** Between those that come while it is swapped; 0: they come at once. */
  readonly everyMs?: number;
}

/** What a swap under streams led to. */
export interface Swapped {
  readonly vendors: Vendors;
  /** The numbers of the calls before the swap, around it, and after it. */
  readonly early: readonly number[];
  readonly around: readonly number[];
  readonly late: readonly number[];
  readonly heard: readonly Heard[];
  readonly records: ReadonlyMap<string, RecordedCall>;
  /** Of each node before the swap, each its own, and of all since. */
  readonly generations: { readonly before: readonly number[]; readonly since: number };
  /** Headers of an answer at each door, before the swap and after it. */
  readonly headers: readonly [readonly Headers[], readonly Headers[]];
}

/** The calls that one swap needs. */
export const callsOfSwap = (count: number): number => 3 * count + 2 * doors.length;

/** Swaps the provider under streams, which the nodes serve in turn, each by both doors. */
export async function swapUnderStreams(
  site: Site,
  vendors: Vendors,
  { count, everyMs = 0 }: SwapLoad,
): Promise<Swapped> {
  const part = (at: number) => Array.from({ length: count }, (_, index) => at * count + index);
  const [early, around, late] = [part(0), part(1), part(2)];
  const gets = site.urls.map((url) => reading(url, site.key));
  const [first] = gets as [Get];
  const heard: Heard[] = [];
  const ask = async (number: number): Promise<void> => void (heard[number] = await askInTurn(site, number));
  const before = await headersOf(site, 3 * count);
  const end = Promise.withResolvers<void>();
  vendors.old.plan = () => ({ hold: { after: headEvents, until: end.promise } });
  const asked = early.map(ask);
  await until(
    () => vendors.old.calls.filter(({ streamed }) => streamed),
    (calls) => calls.length === count && calls.every(({ events }) => events === headEvents),
  );
  const generations = (await Promise.all(gets.map(statusAt))).map(({ generation }) => generation);
  const asking = (async () => {
    for (const number of around) {
      asked.push(ask(number));
      if (everyMs > 0) await pause(everyMs);
    }
  })();
  await pause((everyMs * count) / 4);
  const since = await swap(site);
  await asking;
  await Promise.all(late.map(ask));
  expect((await statusAt(first)).swap_status).to.equal('draining');
  end.resolve();
  await Promise.all(asked);
  for (const get of gets)
    await until(
      () => statusAt(get),
      ({ swap_status }) => swap_status === 'stable',
    );
  const headers = [before, await headersOf(site, 3 * count + doors.length)] as const;
  const records = byModel(await recordsOf(first));
  return { vendors, early, around, late, heard, records, generations: { before: generations, since }, headers };
}

const doors: readonly Api[] = ['openai', 'anthropic'];

// Each node by each door.
function askInTurn({ key, urls }: Site, number: number): Promise<Heard> {
  const door = doors[Math.floor(number / urls.length) % doors.length] ?? 'openai';
  return askAt(door, number, { base: urls[number % urls.length] ?? '', key, stream: true });
}

async function headersOf(site: Site, from: number): Promise<readonly Headers[]> {
  const answers = doors.map((door, at) => post(site, pathOf(door), bodyOf(door, from + at, { stream: false })));
  return (await Promise.all(answers)).map(({ headers }) => headers);
}

interface Status {
  readonly generation: number;
  readonly swap_status: string;
}

const statusAt = async (get: Get): Promise<Status> => (await get(`/providers/${chatOrb}/status`)) as unknown as Status;

async function swap(site: Site): Promise<number> {
  const response = await post(site, `/providers/${chatOrb}/swap`, { provider: 'next' });
  const body = (await response.json()) as { readonly generation: number };
  expect(response.status, JSON.stringify(body)).to.equal(200);
  return body.generation;
}

function post({ key, urls: [url = ''] }: Site, path: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Tests what a swap under streams led to. */
export function testSwap(swapped: () => Swapped): void {
  it('cuts none and doubles none: each client has the whole answer of one vendor, which was asked once', () => {
    const { around, early, heard, late, records, vendors } = swapped();
    for (const number of [...early, ...around, ...late]) {
      const model = modelOf(number);
      const calls = [...vendors.old.of(model), ...vendors.next.of(model)];
      expect(calls, model).to.have.length(1);
      expect(heard[number]?.raised, model).to.equal(undefined);
      expect(heard[number]?.content, model).to.equal(calls[0]?.answer.texts.join(''));
      expect(records.get(model)?.status, model).to.equal('completed');
    }
    expect(records.size).to.equal(callsOfSwap(early.length));
  });

  it('is told by the receipts: the generation, the provider and the model that answered', () => {
    const { around, early, generations, late, records, vendors } = swapped();
    const { before, since } = generations;
    expect(since).to.be.greaterThan(Math.max(...before));
    const served = (number: number): string => (vendors.old.of(modelOf(number)).length > 0 ? 'old' : 'next');
    for (const number of [...early, ...around, ...late]) {
      const { attempts, model, provider } = records.get(modelOf(number))?.facts ?? expect.fail(modelOf(number));
      const [name, generation] = served(number) === 'old' ? ['old', before[number % before.length]] : ['next', since];
      expect(attempts.map((one) => [one.provider, one.generation])).to.deep.equal([[name, generation]]);
      expect(provider).to.include({ name, generation });
      expect(model).to.deep.equal({
        asked: modelOf(number),
        sent: modelOf(number),
        answered: `${modelOf(number)}-2026`,
      });
    }
    expect(early.every((number) => served(number) === 'old')).to.equal(true);
    expect(late.every((number) => served(number) === 'next')).to.equal(true);
  });

  it('shows in the headers of answers by no more than the name of the provider', () => {
    const [before, after] = swapped().headers;
    const rest = (headers: Headers) => [...headers].filter(([name]) => !varying.test(name));
    expect(after.map(rest)).to.deep.equal(before.map(rest));
    const names = [...before, ...after].map((headers) => headers.get('x-orb-provider'));
    expect(names).to.deep.equal(['old', 'old', 'next', 'next']);
  });
}
