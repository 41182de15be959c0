import { expect } from 'chai';
import { startPlatform, type TestPlatform } from '../../../helpers/platform.ts';
import { outputsOf } from './answers.ts';
import { askAt, type Heard } from './clients.ts';
import { gatewayData, gatewayEnv, modelOf, nanosOf, orbisets, providerOf, type Api } from './gateway.ts';
import { budgetOf, byModel, commitmentOf, costOf, reading, recordsOf, type RecordedCall } from './records.ts';
import { startBillingVendor, type BillingVendor, type Cut } from './vendor.ts';

const count = Number(process.env['MODEL_CUTS'] ?? 40);
const hows: readonly Cut[] = ['end', 'reset', 'silence'];
const apis: readonly Api[] = ['openai', 'anthropic'];

/** One call: at which door and provider, and where its answer breaks off. */
interface Case {
  readonly number: number;
  readonly door: Api;
  readonly adapter: Api;
  readonly stream: boolean;
  /** Absent: it is whole. */
  readonly cut?: { readonly how: Cut; readonly share: number };
}

// Whole answers before and after each that breaks off keep the providers in use: they are paused after some failures.
const cases = Array.from({ length: 3 * count }, (_, number): Case => {
  const at = Math.floor(number / 3);
  const nth = <T>(all: readonly T[], every: number): T => all[Math.floor(at / every) % all.length] as T;
  const mixed = { number, door: nth(apis, 3), adapter: nth(apis, 6), stream: nth([true, true, false], 12) };
  // Spread evenly, whatever their number: multiples of the golden ratio.
  return number % 3 === 1 ? { ...mixed, cut: { how: nth(hows, 1), share: (at * 0.6180339887) % 1 } } : mixed;
});

/** Does work for all cases, four at a time, so that no five failures follow each other. */
async function forAll<T>(work: (one: Case) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  const starts = Array.from({ length: count }, (_, at) => 3 * at);
  const worker = async (): Promise<void> => {
    for (let start = starts.shift(); start !== undefined; start = starts.shift())
      for (const one of cases.slice(start, start + 3)) results[one.number] = await work(one);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return results;
}

describe(`${count} answers that break off anywhere`, function () {
  this.timeout(60_000 + count * 300);
  let platform: TestPlatform;
  let vendor: BillingVendor;
  let spare: BillingVendor;
  let heard: readonly Heard[];
  let records: ReadonlyMap<string, RecordedCall>;

  before(async () => {
    [vendor, spare] = [await startBillingVendor('first'), await startBillingVendor('spare')];
    const limits = { idle_timeout_ms: 250, first_part_timeout_ms: 300 };
    platform = await startPlatform({
      env: gatewayEnv,
      platform: {
        providers: {
          openai: providerOf('openai', vendor.url, limits),
          anthropic: providerOf('anthropic', vendor.url, limits),
          spare: providerOf('openai', spare.url, limits),
        },
        bindings: { 'llm.chat@1.0.0': ['openai', 'anthropic', 'spare'] },
        plugins: { budgets: { config: { budgets: [{ scope: 'tenant', per: 'month', nanos: 1e12 }] } } },
      },
      data: { ...gatewayData(cases.length), ...orbisets(['spare']) },
    });
    vendor.plan = ({ model }) => ({ cut: cases[Number(model.slice(2))]?.cut });
    heard = await forAll(({ adapter, door, number, stream }) =>
      askAt(door, number, { base: `${platform.url}/orbisets/${adapter}`, key: platform.adminKey, stream }),
    );
    records = byModel(await recordsOf(reading(platform.url, platform.adminKey)));
  });
  after(async () => {
    await platform?.stop();
    await Promise.all([vendor, spare].map((one) => one?.close()));
  });

  const of = ({ number }: Case): { readonly got: Heard; readonly record: RecordedCall; readonly tried: number } => {
    const [got, record] = [heard[number], records.get(modelOf(number))];
    if (got === undefined || record === undefined) throw new Error(`the call ${number} has no receipt`);
    return { got, record, tried: spare.of(modelOf(number)).length };
  };
  const label = ({ adapter, cut, door, number, stream }: Case): string =>
    `call ${number}: ${door} door, ${adapter} vendor, ${stream ? 'streamed' : 'whole'}, ${JSON.stringify(cut ?? {})}`;

  it('have one receipt each, and their vendors understood every request', () => {
    expect(records.size).to.equal(cases.length);
    expect([vendor.undocumented, spare.undocumented]).to.deep.equal([[], []]);
  });

  it('raise in the stock clients, unless they are whole: then the receipt commits to what the client received', () => {
    const counts = { raised: 0, whole: 0, failedOver: 0 };
    for (const one of cases) {
      const { got, record, tried } = of(one);
      if (got.raised !== undefined) {
        counts.raised += 1;
        expect(record.status, label(one)).to.equal('failed');
        expect(got.finish, label(one)).to.equal(undefined);
        continue;
      }
      counts.whole += 1;
      counts.failedOver += tried;
      expect(record.status, label(one)).to.equal('completed');
      const [by, api] = tried > 0 ? [spare, 'openai' as const] : [vendor, one.adapter];
      const whole = outputsOf(by.of(modelOf(one.number))[0]?.answer ?? expect.fail(label(one)), api);
      const usage = record.facts.usage ?? expect.fail(label(one));
      const reasoning = { ...whole.reasoning, text: got.reasoning };
      const finish_reason = got.finish as 'tool_calls';
      const received = { ...whole, content: got.content, reasoning, tool_calls: got.calls, finish_reason, usage };
      expect(got.content, label(one)).to.equal(whole.content);
      const salt = got.orb?.opening?.outputs_salt ?? expect.fail(label(one));
      expect(commitmentOf(salt, received), label(one)).to.equal(record.facts.outputs?.commitment);
    }
    console.log(`      ${JSON.stringify(counts)}`);
    expect(Math.min(...Object.values(counts)), JSON.stringify(counts)).to.be.greaterThan(0);
  });

  it('are not asked of a second vendor after their first part', () => {
    for (const one of cases) {
      const { got, record, tried } = of(one);
      const { attempts } = record.facts;
      expect(vendor.of(modelOf(one.number)), label(one)).to.have.length(1);
      expect(attempts, label(one)).to.have.length(1 + tried);
      if (got.raised === undefined) continue;
      const parts = got.content + got.reasoning + got.calls.map(({ id }) => id).join('');
      if (parts !== '') expect([tried, record.reason], label(one)).to.deep.equal([0, 'stream_interrupted']);
    }
  });

  it('cost what the vendor said, or nothing is said of their cost, and the budget has the rest as assumed', async () => {
    for (const one of cases) {
      const { got, record, tried } = of(one);
      const { attempts, cost, usage } = record.facts;
      const sure = attempts.every(({ outcome }) => outcome === 'accepted');
      const known = sure && usage?.source === 'vendor';
      const [call] = vendor.of(modelOf(one.number));
      const bill = known ? { amount_nanos: nanosOf(call?.answer.usage ?? expect.fail()), currency: 'USD' } : undefined;
      expect(cost, label(one)).to.deep.equal(bill);
      expect(known && (got.raised !== undefined || tried > 0), label(one)).to.equal(false);
    }
    const { assumed, reserved, spent } = await budgetOf(reading(platform.url, platform.adminKey));
    expect([reserved, spent]).to.deep.equal([0, costOf(records.values())]);
    expect(assumed).to.be.greaterThan(0);
  });
});
