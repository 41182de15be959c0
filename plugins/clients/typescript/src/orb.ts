import { parseJson } from '../../../receipts/format/strict-json.ts';
import type { Orb, RequestOptions } from './declared.ts';
import { OrbError } from './error.ts';
import { events } from './events.ts';
import { get, list } from './lists.ts';
import { persist } from './persist.ts';
import { checkPlace, time } from './place.ts';
import { verifyReceipt } from './receipt.ts';
import { enqueue, followRun, run } from './run.ts';
import { stream } from './stream.ts';
import type { Answer, Auth, Json, OrbOptions, QueueOptions, RunOptions } from './surface.ts';
import { tools } from './tools.ts';
import { take, trusted } from './trust.ts';
import { defined } from './verify/object.ts';
import { verifyWebhook } from './webhook.ts';
import { untilOf, type Scope, type Time } from './wire.ts';

// Not declared: tests give a clock.
type Options = OrbOptions & { readonly time?: Time };

/** A client of one server. */
export class OrbClient implements Orb {
  readonly #scope: Scope;

  constructor(url: string, auth: Auth, options: Options = {}) {
    const { pin, verify } = options;
    if (!URL.canParse(url)) throw new OrbError('url', 'the address of the server is not a URL');
    if (verify !== 'never' && pin === undefined)
      throw new OrbError(
        'pin',
        'set `pin`: the keys to trust, or "tofu" for those that the server has at the first use',
      );
    if (typeof auth === 'string') checkPlace(auth, options);
    const { origin, pathname } = new URL(url);
    const base = `${origin}${pathname.replace(/\/+$/, '')}`;
    this.#scope = {
      url: base,
      auth,
      options,
      time: options.time ?? time,
      skew: 0,
      keys: pin === 'tofu' ? undefined : pin,
    };
  }

  // The types of inputs and outputs are those of the declarations; no value depends on them.
  readonly run = ((orb: string, inputs: Json, options?: RunOptions) =>
    run(this.#scope, orb, inputs, options)) as Orb['run'];

  readonly enqueue = ((orb: string, inputs: Json, options?: QueueOptions) =>
    enqueue(this.#scope, orb, inputs, options)) as Orb['enqueue'];

  readonly runs: Orb['runs'] = {
    ...this.#listed('runs'),
    settle: (runId, options) => followRun(this.#scope, runId, undefined, options),
  };

  readonly receipts: Orb['receipts'] = {
    ...this.#listed('receipts'),
    verify: async (document, expected) =>
      verifyReceipt(document, await trusted(this.#scope), { ...expected, ed25519: this.#scope.options.ed25519 }),
    trust: (document) => take(this.#scope, document),
  };

  readonly orbs: Orb['orbs'] = this.#listed('orbs');

  readonly events: Orb['events'] = (options) => events(this.#scope, options);

  readonly stream: Orb['stream'] = (inputs, options) => stream(this.#scope, inputs, options);

  readonly tools: Orb['tools'] = (format, options) => tools(this.#scope, format, options);

  readonly verifyWebhook: Orb['verifyWebhook'] = (headers, body, by) => {
    const { skew, time: clock } = this.#scope;
    return verifyWebhook(headers, body, { now: clock.now() + skew, ...by });
  };

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { body, key, query } = options;
    const { broken, headers, ok, sent, status, text } = await persist(this.#scope, {
      ...{ method, path, query, body, ...untilOf(this.#scope, options) },
      repeatable: key !== undefined || /^(?:GET|HEAD)$/.test(method),
      headers: defined({ 'idempotency-key': key }),
    });
    if (broken === undefined) return { ok, status, headers, body: parseJson(text) ?? text };
    const [code, why] = sent ? ['unknown', 'the answer was lost'] : ['unreachable', 'it was not sent'];
    throw new OrbError(code, `${method} ${path}: ${why}`);
  }

  #listed(name: string): Orb['orbs'] {
    return {
      get: (id) => get(this.#scope, `/${name}/${encodeURIComponent(id)}`),
      list: (filter) => list(this.#scope, `/${name}`, name, filter),
    };
  }
}
