import { expect } from 'chai';
import type { Heard } from './clients.ts';
import { mostNanos, modelOf, nanosOf } from './gateway.ts';
import { budgetOf, byModel, costOf, recordsOf, type Get, type RecordedCall } from './records.ts';
import type { BillingVendor, VendorCall } from './vendor.ts';

/** How many calls ended in which way. */
export type Counts = Readonly<Record<string, number>>;

/**
 * Compares the receipts with what a vendor bills and what its callers got: each call that the vendor took has one receipt;
 * a receipt names no cost that the vendor does not bill; the budget has spent what the receipts say, and assumes the most
 * for each call whose bill is unknown.
 */
export async function compareBooks(
  get: Get,
  vendor: BillingVendor,
  heard: ReadonlyMap<number, Heard>,
): Promise<Counts> {
  const records = byModel(await recordsOf(get));
  const calls = new Map<string, VendorCall[]>();
  for (const call of vendor.calls) calls.set(call.model, [...(calls.get(call.model) ?? []), call]);
  for (const model of calls.keys()) expect(records.has(model), `${model} was taken, and has no receipt`).to.equal(true);
  for (const [number, one] of heard) compareAnswer(one, records.get(modelOf(number)), modelOf(number));
  const counts: Record<string, number> = { taken: vendor.calls.length };
  let unknown = 0;
  for (const [model, record] of records) {
    const { cost } = record.facts;
    const taken = calls.get(model) ?? [];
    expect(taken.length, `${model} was asked more than once`).to.be.at.most(1);
    // Its intent does not keep what its provider calls the model.
    if (record.reason === 'interrupted') expect(record.facts.model, model).to.deep.equal({ asked: model });
    if (cost !== undefined) {
      const bill = taken[0]?.ended === 'whole' ? nanosOf(taken[0].answer.usage) : 'none';
      expect(cost.amount_nanos, `the cost of ${model}`).to.equal(bill);
    } else if (mayBeBilled(record)) unknown += 1;
    const way = [record.status, record.reason, cost && 'paid'].filter((word) => word !== undefined).join(' ');
    counts[way] = (counts[way] ?? 0) + 1;
  }
  const { assumed, reserved, spent } = await budgetOf(get);
  const expected = { reserved: 0, spent: costOf(records.values()), assumed: unknown * mostNanos };
  expect({ reserved, spent, assumed }, JSON.stringify(counts)).to.deep.equal(expected);
  return { ...counts, unknown };
}

// Of a call without a cost. A caller may leave when its answer is whole, and what it used is not told yet.
function mayBeBilled({ facts: { attempts, usage }, reason }: RecordedCall): boolean {
  if (attempts.some(({ outcome }) => outcome === 'unknown')) return true;
  const whole = attempts.some(({ outcome }) => outcome === 'accepted');
  if (whole) expect([reason, usage?.source ?? 'absent']).to.deep.equal(['caller_gone', 'absent']);
  return whole;
}

// What a client took for a whole answer is completed and paid.
function compareAnswer({ orb, raised }: Heard, record: RecordedCall | undefined, model: string): void {
  if (raised !== undefined) return;
  const { facts, run_id, status } = record ?? {};
  expect({ run_id, status }, model).to.deep.equal({ run_id: orb?.run_id, status: 'completed' });
  expect(facts?.cost, model).to.not.equal(undefined);
}
