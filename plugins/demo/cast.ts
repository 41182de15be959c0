import type { Chance } from './random.ts';
import type { Failure } from './vendors.ts';
import type { VendorName } from './vendor-answers.ts';

/** A caller: the name of its principal, and what its key may do. */
export interface Caller {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly mode?: 'live' | 'test';
  /** Days after the present at which its key expires. */
  readonly expiresIn?: number;
}

const run = ['orbs:execute'];

/** Who calls, by the names that the rest of the cast uses. */
export const callers = {
  webshop: { name: 'Web shop', scopes: run },
  support: { name: 'Support desk', scopes: [...run, 'runs:read', 'receipts:read'] },
  billing: { name: 'Billing', scopes: run, expiresIn: 4 },
  assistant: { name: 'Shopping assistant (agent)', scopes: [...run, 'usage:read'] },
  research: { name: 'Research agent', scopes: run },
  nightly: { name: 'Nightly jobs', scopes: [...run, 'schedules:manage'] },
  monitor: { name: 'Uptime monitor', scopes: run },
  tests: { name: 'Continuous integration', scopes: run, mode: 'test' },
  marketing: { name: 'Marketing', scopes: ['orbs:execute:shop.*'] },
  ada: { name: 'Ada (office)', scopes: ['runs:approve', 'runs:read'] },
  grace: { name: 'Grace (office)', scopes: ['runs:approve', 'runs:read'] },
  acme: { name: 'Acme publishing', scopes: ['marketplace:publish', 'orbs:read'] },
  shop: { name: 'Shop publishing', scopes: ['marketplace:publish', 'orbs:read'] },
} as const satisfies Readonly<Record<string, Caller>>;

/** The name of a caller. */
export type CallerName = keyof typeof callers;

/** An Orb of the demonstration: a shipped one under its own name, or that one itself. */
export interface DemoOrb {
  readonly orb_id: string;
  /** The shipped Orb whose schemas it has; absent: it is one itself. */
  readonly like?: string;
  readonly title?: string;
  readonly description?: string;
  /** Who publishes it; absent: it is not published. */
  readonly publisher?: CallerName | 'admin';
  readonly tags?: readonly string[];
}

const own = (orb_id: string, like: string, publisher: CallerName, texts: Omit<DemoOrb, 'orb_id'>): DemoOrb => ({
  ...{ orb_id, like, publisher },
  ...texts,
});

/** The Orbs of the demonstration that are signed. */
export const orbs: readonly DemoOrb[] = [
  { orb_id: 'notify.email@1.0.0', publisher: 'admin', tags: ['mail', 'shipped'] },
  { orb_id: 'notify.chat@1.0.0', publisher: 'admin', tags: ['chat', 'shipped'] },
  own('shop.order-mail@1.2.0', 'notify.email@1.0.0', 'shop', {
    title: 'Confirm an order by e-mail',
    description: 'Sends the confirmation of an order with its articles and the day of delivery.',
    tags: ['mail', 'orders'],
  }),
  own('shop.stock@2.0.1', 'http.fetch@1.0.0', 'shop', {
    title: 'Look up the stock of an article',
    description: 'Asks the warehouse how many pieces of an article are left.',
    tags: ['orders', 'read'],
  }),
  own('shop.newsletter@0.9.0', 'notify.email@1.0.0', 'shop', {
    title: 'Send the newsletter',
    description: 'Sends one issue of the newsletter to one reader.',
    tags: ['mail'],
  }),
  own('acme.alert-sms@1.0.0', 'notify.sms@1.0.0', 'acme', {
    title: 'Alert the person on call',
    description: 'Sends a short text message to the person who is on call.',
    tags: ['sms', 'on-call'],
  }),
  own('acme.invoice-push@1.0.0', 'notify.push@1.0.0', 'acme', {
    title: 'Push the news of an invoice',
    description: 'Shows on a phone that an invoice has arrived.',
    tags: ['push'],
  }),
];

/** Calls of one Orb by one caller, day after day. */
export interface Flow {
  readonly orb: string;
  readonly caller: CallerName;
  readonly perDay: number;
  readonly orbiset?: string;
  readonly inputs: (chance: Chance, urls: Readonly<Record<VendorName, string>>) => object;
  /** One of so many calls fails like this. */
  readonly fails?: {
    readonly vendor: VendorName;
    readonly how: Failure;
    readonly oneIn: number;
    /** How often it fails at once. */
    readonly times?: number;
  };
  /** The share of a working day's calls on a Saturday or Sunday. */
  readonly weekend?: number;
}

const people = ['ada', 'ben', 'clara', 'david', 'emma', 'felix', 'greta', 'henry', 'ida', 'jonas'] as const;

const mail =
  (subject: (chance: Chance) => string) =>
  (chance: Chance): object => ({
    to: `${chance.pick(people)}@example.com`,
    from_address: 'shop@example.com',
    subject: subject(chance),
    body: 'This message is part of a demonstration.',
  });

const text = (words: string) => (): object => ({ to: '+4915112345678', text: words });

const chat = (chance: Chance): object => ({
  channel: 'ops',
  text: chance.pick(['A customer waits for a call.', 'The refund was approved.', 'Two parcels came back.']),
});

const stock: Flow['inputs'] = (chance, { shop }) => ({ url: `${shop}/articles/${1000 + chance.below(400)}` });

const asks = ['Where is my order?', 'Explain this invoice.', 'Find a present for a gardener.', 'Summarize my inbox.'];

const prompt =
  (model: string) =>
  (chance: Chance): object => ({ model, messages: [{ role: 'user', content: chance.pick(asks) }] });

const order = mail((chance) => `Order ${10_000 + chance.below(90_000)}`);
const invoice = (body: string) => () => ({ to: { topic: 'invoices' }, title: 'Invoice', body });

const flow = (
  orb: string,
  caller: CallerName,
  perDay: number,
  inputs: Flow['inputs'],
  rest: Pick<Flow, 'orbiset' | 'fails' | 'weekend'> = {},
): Flow => ({ orb, caller, perDay, inputs, ...rest });

const shop = { orbiset: 'shop' };
const agents = { orbiset: 'assistants' };
const daily = { weekend: 1 };
const working = { weekend: 0.4 };

/** The call of the monitor, once an hour. */
export const watch = flow('http.fetch@1.0.0', 'monitor', 24, (_, { shop: url }) => ({ url: `${url}/health` }));

/** The calls of a model by the shopping assistant. */
export const modelCalls = flow('llm.chat@1.0.0', 'assistant', 6, prompt('assistant-large'), {
  ...agents,
  fails: { vendor: 'models', how: 429, oneIn: 40 },
});

/** All calls of an ordinary day. */
export const flows: readonly Flow[] = [
  flow(
    'notify.email@1.0.0',
    'webshop',
    10,
    mail(() => 'Your account'),
    {
      fails: { vendor: 'postmark', how: 422, oneIn: 90 },
    },
  ),
  flow(
    'notify.email@1.0.0',
    'support',
    6,
    mail(() => 'Re: your question'),
    working,
  ),
  flow(
    'notify.email@1.0.0',
    'billing',
    4,
    mail(() => 'Your invoice'),
    working,
  ),
  flow(
    'notify.email@1.0.0',
    'tests',
    1,
    mail(() => 'A test of the templates'),
    { weekend: 0 },
  ),
  flow('shop.order-mail@1.2.0', 'webshop', 7, order, shop),
  flow('shop.order-mail@1.2.0', 'assistant', 5, order, shop),
  flow('shop.order-mail@1.2.0', 'support', 2, order, shop),
  flow('shop.stock@2.0.1', 'assistant', 5, stock, {
    ...shop,
    fails: { vendor: 'shop', how: 'cut', oneIn: 70, times: 3 },
  }),
  flow('shop.stock@2.0.1', 'webshop', 3, stock, shop),
  flow(
    'shop.newsletter@0.9.0',
    'marketing',
    3,
    mail(() => 'News of the week'),
  ),
  flow('acme.alert-sms@1.0.0', 'support', 1.3, text('The queue is full.'), daily),
  flow('acme.alert-sms@1.0.0', 'nightly', 1.3, text('The backup is late.'), daily),
  flow('acme.invoice-push@1.0.0', 'billing', 1, invoice('A new invoice has arrived.'), daily),
  flow('acme.invoice-push@1.0.0', 'webshop', 1, invoice('Your invoice is ready.'), daily),
  flow('notify.chat@1.0.0', 'support', 3, chat, working),
  modelCalls,
  flow('llm.chat@1.0.0', 'research', 3, prompt('assistant-small'), agents),
  flow('demo.echo@1.0.0', 'research', 1, () => ({ text: 'Hello.' }), daily),
];
