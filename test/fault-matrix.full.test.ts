import { expect } from 'chai';
import { beside } from './helpers/beside.ts';
import { guideRow } from './helpers/guide-row.ts';
import { startPlatform, type TestPlatform } from './helpers/platform.ts';
import { startVendor, type VendorFault, type VendorServer } from './helpers/vendor.ts';
import type { VendorBed } from './providers/email/vendors/bed.ts';
import { mailgunBed } from './providers/email/vendors/mailgun.ts';
import { postmarkBed } from './providers/email/vendors/postmark.ts';
import { resendBed } from './providers/email/vendors/resend.ts';
import { sendgridBed } from './providers/email/vendors/sendgrid.ts';
import { sesBed } from './providers/email/vendors/ses.ts';

const request = {
  orb_id: 'notify.email@1.0.0',
  inputs: { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' },
};
// A silence uses the deadline up: what it leaves must be enough for the next provider, however busy the machine is.
const silentTimeoutMs = 12_000;
const timeoutMs = 20_000;

// One vendor remembers our key, the others do not; one of those says yes by a header alone.
const beds: readonly { readonly name: string; readonly bed: VendorBed }[] = [
  { name: 'key window', bed: resendBed },
  { name: 'no key', bed: postmarkBed },
  { name: 'no key', bed: mailgunBed },
  { name: 'no key', bed: sesBed },
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
  { fault: 'half an answer, then silence', what: 'stall', is: silence },
  { fault: 'half an answer, then reset', what: 'drop', is: unknown },
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
  /** Admits its own providers and no others. */
  readonly orbiset: string;
}

const cases: readonly Case[] = beds
  .flatMap(({ name, bed }) =>
    ['at_most_once', 'at_least_once'].flatMap((delivery) =>
      [1, 3].map((count) => ({ bed, kind: name, delivery, count })),
    ),
  )
  .map((one, number) => ({ ...one, orbiset: `case-${number}` }));

describe('the fault matrix', () => {
  const isSilent = ({ what }: Row): boolean => what === 'hang' || what === 'stall';
  const check = async (row: Row): Promise<void> => {
    const { what, is } = row;
    const stands = await Promise.all(cases.map(stand));
    const platform = await startFor(stands);
    try {
      const found = await Promise.all(stands.map((one) => play(one, what, platform)));
      for (const [index, { bed, kind, delivery, count }] of cases.entries()) {
        const name = `${kind}, ${delivery}, ${count}`;
        const vendor = bed.adapter.name;
        // SendGrid says yes by a header: its answer has no body that could be lost.
        const whole = vendor === 'email/sendgrid' && (what === 'stall' || what === 'drop');
        const expected = whole ? `200 ${count === 1 ? '1' : '1/0/0'}` : (is[name] ?? '');
        const got = found[index] ?? '';
        expect(isSilent(row) ? fold(expected, got) : got, `${vendor}, ${name}`).to.equal(expected);
      }
    } finally {
      await platform.stop();
      await Promise.all(
        stands.flatMap(({ vendors }) => vendors.map((vendor) => vendor.close().catch(() => undefined))),
      );
    }
  };
  const checked = beside(rows.filter(isSilent), check);

  for (const row of rows)
    it(`${row.fault}: status, code and calls per provider are as the table says`, () => checked(row)).timeout(120_000);

  it('is printed in the README of the runtime', () => {
    for (const { fault, is } of rows)
      expect(guideRow('plugins/runtime/README.md', fault), fault).to.deep.equal(
        Object.keys(unknown).map((name) => is[name]),
      );
  });
});

// How often a silence fits into the deadline depends on the machine: twice or three times where going on is allowed.
// The other providers, the status and the code never depend on it.
function fold(expected: string, found: string): string {
  const other = expected.replace(/\b2(?=$|\/)/, '3');
  return found === other || found === expected.replace(/\b3(?=$|\/)/, '2') ? expected : found;
}

/** A case with the vendors that only it calls. */
interface Stand extends Case {
  readonly vendors: readonly VendorServer[];
  /** In the order of the vendors. */
  readonly providers: readonly string[];
}

async function stand(one: Case): Promise<Stand> {
  const vendors = await Promise.all(Array.from({ length: one.count }, () => startVendor(one.bed.contract)));
  return { ...one, vendors, providers: vendors.map((_, index) => `${one.orbiset}-p${index}`) };
}

/** One platform for all: each case has an Orbiset, providers and breakers of its own. */
function startFor(stands: readonly Stand[]): Promise<TestPlatform> {
  const nameOf = ({ bed }: Case, secret: string): string =>
    `SECRET_${beds.findIndex((one) => one.bed === bed)}_${bed.secrets.indexOf(secret)}`;
  const configOf = (one: Case, url: string): object => ({
    ...Object.fromEntries(
      Object.entries(one.bed.config(url)).map(([name, value]) => [
        name,
        one.bed.secrets.includes(String(value)) ? { $env: nameOf(one, String(value)) } : value,
      ]),
    ),
    connect_timeout_ms: 400,
    response_timeout_ms: 20_000,
  });
  const providers = Object.fromEntries(
    stands.flatMap((one) =>
      one.vendors.map(({ url }, index) => [
        one.providers[index] ?? '',
        { adapter: one.bed.adapter.name, config: configOf(one, url) },
      ]),
    ),
  );
  return startPlatform({
    // All run at once on few cores: whether a policy is in time is not what is looked at.
    platform: {
      providers,
      bindings: { 'notify.email@1.0.0': Object.keys(providers) },
      plugins: { policy: { config: { deadline_ms: 2000 } } },
    },
    data: Object.fromEntries(
      stands.map(({ orbiset, providers: own }) => [
        `orbisets/${orbiset}.json`,
        { id: orbiset, tenant: 'default', orbs: ['*'], providers: own },
      ]),
    ),
    env: Object.fromEntries(stands.flatMap((one) => one.bed.secrets.map((secret) => [nameOf(one, secret), secret]))),
  });
}

async function play({ vendors, orbiset, delivery }: Stand, what: Fault, platform: TestPlatform): Promise<string> {
  await spoil(vendors[0], what);
  const { status, body } = await platform.call('POST', `/orbisets/${orbiset}/execute`, {
    ...request,
    delivery,
    timeout_ms: what === 'hang' || what === 'stall' ? silentTimeoutMs : timeoutMs,
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
}

async function spoil(vendor: VendorServer | undefined, what: Fault): Promise<void> {
  if (vendor === undefined) return;
  if (what === 'refused') await vendor.close();
  else vendor.fault = what;
}
