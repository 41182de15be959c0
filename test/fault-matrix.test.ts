import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../kernel/config.ts';
import { startPlatform } from './helpers/platform.ts';
import { startVendor, type VendorFault, type VendorServer } from './helpers/vendor.ts';
import type { VendorBed } from './providers/email/vendors/bed.ts';
import { resendBed } from './providers/email/vendors/resend.ts';
import { sendgridBed } from './providers/email/vendors/sendgrid.ts';

const request = {
  orb_id: 'notify.email@1.0.0',
  inputs: { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' },
};
const timeoutMs = 900;

// Two vendors stand for all: one remembers our key, one does not.
const beds: readonly { readonly name: string; readonly bed: VendorBed }[] = [
  { name: 'key window', bed: resendBed },
  { name: 'no key', bed: sendgridBed },
];

type Fault = 'refused' | VendorFault;

interface Row {
  readonly fault: string;
  readonly what: Fault;
  /** Status, code and calls at each provider: [key window, no key] × [at most once, at least once] × [one, three]. */
  readonly is: Readonly<Record<string, string>>;
}

// An unknown outcome: only the same key, or the caller's own choice, goes on.
const unknown = {
  'key window, at_most_once, 1': '504 outcome_unknown 3',
  'key window, at_most_once, 3': '504 outcome_unknown 3/0/0',
  'key window, at_least_once, 1': '504 outcome_unknown 3',
  'key window, at_least_once, 3': '200 3/1/0',
  'no key, at_most_once, 1': '504 outcome_unknown 1',
  'no key, at_most_once, 3': '504 outcome_unknown 1/0/0',
  'no key, at_least_once, 1': '504 outcome_unknown 1',
  'no key, at_least_once, 3': '200 1/1/0',
};
// The silence of one provider takes its share of the deadline: where going on is allowed, half of what remains.
const silence = {
  ...unknown,
  'key window, at_most_once, 1': '504 outcome_unknown 2',
  'key window, at_most_once, 3': '504 outcome_unknown 2/0/0',
  'key window, at_least_once, 1': '504 outcome_unknown 2',
};
// The second vendor says yes by a header: its answer has no body to lose.
const bodyless = {
  'no key, at_most_once, 1': '200 1',
  'no key, at_most_once, 3': '200 1/0/0',
  'no key, at_least_once, 1': '200 1',
  'no key, at_least_once, 3': '200 1/0/0',
};
const every = (one: string, three: string): Record<string, string> =>
  Object.fromEntries(Object.keys(unknown).map((name) => [name, name.endsWith('1') ? one : three]));

const rows: readonly Row[] = [
  { fault: 'connection refused', what: 'refused', is: every('503 provider_unavailable 0', '200 0/1/0') },
  {
    fault: 'reset before the body',
    what: 'reset',
    is: {
      ...unknown,
      'key window, at_most_once, 1': '504 outcome_unknown 0',
      'key window, at_most_once, 3': '504 outcome_unknown 0/0/0',
      'key window, at_least_once, 1': '504 outcome_unknown 0',
      'key window, at_least_once, 3': '200 0/1/0',
      'no key, at_most_once, 1': '504 outcome_unknown 0',
      'no key, at_most_once, 3': '504 outcome_unknown 0/0/0',
      'no key, at_least_once, 1': '504 outcome_unknown 0',
      'no key, at_least_once, 3': '200 0/1/0',
    },
  },
  { fault: 'reset after the body', what: 'lost', is: unknown },
  { fault: 'accepted, then silence', what: 'hang', is: silence },
  { fault: 'half an answer, then silence', what: 'stall', is: { ...silence, ...bodyless } },
  { fault: 'half an answer, then reset', what: 'drop', is: { ...unknown, ...bodyless } },
  { fault: 'malformed answer', what: { status: 200, body: '<html>' }, is: unknown },
  {
    fault: '400',
    what: { status: 400, body: {} },
    is: every('422 provider_rejected 1', '422 provider_rejected 1/0/0'),
  },
  { fault: '401', what: { status: 401, body: {} }, is: every('502 provider_failed 1', '200 1/1/0') },
  {
    fault: '429, come back beyond the deadline',
    what: { status: 429, headers: { 'retry-after': '60' }, body: {} },
    is: every('503 provider_unavailable 1', '200 1/1/0'),
  },
  { fault: '500', what: { status: 500, body: {} }, is: unknown },
];

interface Case {
  readonly bed: VendorBed;
  readonly kind: string;
  readonly delivery: string;
  readonly count: number;
}

const cases: readonly Case[] = beds.flatMap(({ name, bed }) =>
  ['at_most_once', 'at_least_once'].flatMap((delivery) =>
    [1, 3].map((count) => ({ bed, kind: name, delivery, count })),
  ),
);

describe('the fault matrix', () => {
  for (const { fault, what, is } of rows) {
    it(`${fault}: status, code and calls per provider are as the table says`, async function () {
      this.timeout(30_000);
      // All cases of a fault at once: each has a platform and vendors of its own.
      const got = await Promise.all(cases.map(async (one) => [nameOf(one), await play(one, what)] as const));
      const found = Object.fromEntries(got);
      const silent = what === 'hang' || what === 'stall';
      expect(found).to.deep.equal(silent ? fold(is, found) : is);
    });
  }

  it('is printed in the README of the runtime', () => {
    const readme = readFileSync(join(packageDir, 'kernel/runtime/README.md'), 'utf8');
    for (const { fault, is } of rows) {
      const row = readme.split('\n').find((line) => line.startsWith(`| ${fault} `));
      const cells = row
        ?.split('|')
        .slice(2, -1)
        .map((cell) => cell.trim());
      expect(cells, fault).to.deep.equal(Object.keys(unknown).map((name) => is[name]));
    }
  });
});

// How often a silence fits into the deadline depends on the machine: twice or three times where going on is allowed.
// The other providers, the status and the code never depend on it.
function fold(is: Readonly<Record<string, string>>, got: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(is).map(([name, expected]) => {
    const either = ['2', '3'].map((count) => expected.replace(/\b[23](?=$|\/)/, count));
    return [name, either.find((one) => one === got[name]) ?? expected] as const;
  });
  return Object.fromEntries(entries);
}

function nameOf({ kind, delivery, count }: Case): string {
  return `${kind}, ${delivery}, ${count}`;
}

async function play({ bed, delivery, count }: Case, what: Fault): Promise<string> {
  const vendors = await Promise.all(Array.from({ length: count }, () => startVendor(bed.contract)));
  const names = vendors.map((_, index) => `p${index}`);
  const secret = { [bed.credential]: { $env: 'VENDOR_SECRET' } };
  const configOf = (url: string) => ({
    ...bed.config(url),
    ...secret,
    connect_timeout_ms: 400,
    response_timeout_ms: 20_000,
  });
  const providers = Object.fromEntries(
    vendors.map(({ url }, index) => [`p${index}`, { adapter: bed.adapter.name, config: configOf(url) }]),
  );
  const platform = await startPlatform({
    platform: { providers, bindings: { 'notify.email@1.0.0': names } },
    env: { VENDOR_SECRET: String(bed.secrets[0]) },
  });
  try {
    await spoil(vendors[0], what);
    const { status, body } = await platform.call('POST', '/orbisets/default/execute', {
      ...request,
      delivery,
      timeout_ms: timeoutMs,
    });
    const calls = vendors.map(({ posts }) => posts.length).join('/');
    const receipt = (await platform.call('GET', `/receipts/${body.receipt.receipt_id}`)).body;
    expect(receipt.signature_valid).to.equal(true);
    // Every attempt stands in the receipt, and at most one was accepted unless the caller chose otherwise.
    const attempts = receipt.statement.predicate.facts.attempts.map(({ outcome }: { outcome: string }) => outcome);
    expect(attempts.filter((outcome: string) => outcome === 'accepted').length).to.equal(status === 200 ? 1 : 0);
    const keys = new Set(vendors[0]?.posts.map(({ headers }) => headers['idempotency-key']));
    expect(keys.size).to.be.at.most(1);
    return [status, body.code, calls].filter((part) => part !== undefined).join(' ');
  } finally {
    await platform.stop();
    await Promise.all(vendors.map((vendor) => vendor.close().catch(() => undefined)));
  }
}

async function spoil(vendor: VendorServer | undefined, what: Fault): Promise<void> {
  if (vendor === undefined) return;
  if (what === 'refused') await vendor.close();
  else vendor.fault = what;
}
