import type { Chance } from './random.ts';

/** One request to a vendor. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Of the body. */
  readonly type: string;
}

/** What a vendor answers. */
export interface Answered {
  readonly status?: number;
  readonly type?: string;
  readonly body: unknown;
}

interface At {
  readonly chance: Chance;
  readonly now: number;
}

/** A vendor: how long its calls take, and what it answers. */
interface Vendor {
  readonly usualMs: number;
  /** Whether a request only asks whether the vendor is there. */
  isProbe(asked: Asked): boolean;
  answer(asked: Asked, at: At): Answered;
}

const uuid = ({ hex }: Chance): string => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;

/** Path of the shop at which each callback fails. */
export const brokenHook = '/hooks/broken';

const byMethod: Vendor['isProbe'] = ({ method }) => method === 'GET';

const vendor = (usualMs: number, answer: Vendor['answer'], isProbe = byMethod): Vendor => ({
  ...{ usualMs, answer, isProbe },
});

const hasRecipient = ({ body }: Asked): boolean => new URLSearchParams(body).has('To');

/** The vendors of a demonstration; each answers as its documentation says of a call that succeeds. */
export const vendors = {
  postmark: vendor(310, ({ method }, { chance }) => ({
    body: method === 'GET' ? { ID: 1, Name: 'demo' } : { ErrorCode: 0, Message: 'OK', MessageID: uuid(chance) },
  })),
  resend: vendor(190, ({ method }, { chance }) => ({ body: method === 'GET' ? { data: [] } : { id: uuid(chance) } })),
  twilio: vendor(
    420,
    (asked, { chance }) =>
      hasRecipient(asked)
        ? { status: 201, body: { sid: `SM${chance.hex(32)}`, status: 'queued', num_segments: '1' } }
        : { status: 400, body: { code: 21_604, message: "A 'To' phone number is required." } },
    (asked) => !hasRecipient(asked),
  ),
  slack: vendor(140, ({ path, body }, { now }) => ({
    body: path.startsWith('/api/chat.postMessage')
      ? { ok: true, channel: textOf(body, 'channel'), ts: `${Math.floor(now / 1000)}.000100` }
      : { ok: true },
  })),
  ntfy: vendor(90, (_, { chance }) => ({ body: { id: chance.hex(12), success: true } })),
  // It receives the callbacks of the server, too.
  shop: vendor(
    65,
    ({ method, path }, { chance }) => ({
      status: path === brokenHook ? 500 : 200,
      body: method === 'GET' ? { path, in_stock: chance.below(200) } : { taken: true, number: chance.below(100_000) },
    }),
    ({ path }) => path.startsWith('/hooks/'),
  ),
  models: vendor(1900, (asked, at) => modelAnswer(asked, at)),
} satisfies Readonly<Record<string, Vendor>>;

/** The name of a vendor. */
export type VendorName = keyof typeof vendors;

function textOf(body: string, member: string): unknown {
  return (JSON.parse(body) as Readonly<Record<string, unknown>>)[member];
}

const replies = [
  'Thank you for your message. Your order was sent on Monday and arrives within two days.',
  'The invoice is correct. The amount contains the shipping costs of both parcels.',
  'I found three matching articles and sorted them by price.',
  'Summary: two customers wait for a refund, one asks for another size.',
];

// platform.openai.com/docs/api-reference/chat
function modelAnswer({ method, path, body }: Asked, { chance, now }: At): Answered {
  if (method === 'GET') return { body: { object: 'list', data: [] } };
  const input = 400 + chance.below(1800);
  if (path.endsWith('/embeddings'))
    return {
      body: {
        ...{ object: 'list', model: textOf(body, 'model') },
        data: [{ object: 'embedding', index: 0, embedding: Array.from({ length: 8 }, () => chance.next()) }],
        usage: { prompt_tokens: input, total_tokens: input },
      },
    };
  const output = 60 + chance.below(420);
  const content = chance.pick(replies);
  const head = { id: `chatcmpl-${chance.hex(20)}`, created: Math.floor(now / 1000), model: textOf(body, 'model') };
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  if (textOf(body, 'stream') !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    return { body: { ...head, object: 'chat.completion', choices, usage } };
  }
  const chunk = (delta: object, finish_reason: string | null, rest = {}): string =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...rest })}\n\n`;
  const parts = [chunk({ role: 'assistant', content }, null), chunk({}, 'stop', { usage }), 'data: [DONE]\n\n'];
  return { type: 'text/event-stream', body: parts.join('') };
}
