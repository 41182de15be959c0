import { untilOf, type Scope } from './ask.ts';
import type { Orb, RequestOptions } from './declared.ts';
import { OrbError } from './error.ts';
import { events } from './events.ts';
import { defined } from './verify/object.ts';
import { get, list } from './lists.ts';
import { persist, problemOf } from './persist.ts';
import { verifyReceipt } from './receipt.ts';
import { enqueue, followRun, run } from './run.ts';
import { stream } from './stream.ts';
import { tools } from './tools.ts';
import { pinsOf } from './trust.ts';
import { agent, checkPlace, time } from './place.ts';
import { verifyWebhook } from './webhook.ts';
import type { Answer, Auth, Json, KeySet, OrbOptions, QueueOptions, RunOptions } from './surface.ts';
import type { Time, Wire } from './wire.ts';

// Not declared: tests give a clock.
type Options = OrbOptions & { readonly time?: Time };

/** A client of one server. */
export class OrbClient implements Orb {
  readonly #scope: Scope;

  constructor(url: string, auth: Auth, options: Options = {}) {
    const wire = wireOf(url, auth, options);
    if (options.verify !== 'never' && options.pin === undefined)
      throw new OrbError(
        'pin',
        'set `pin`: the keys to trust, or "tofu" for those that the server has at the first use',
      );
    const keysPath = '/.well-known/jwks.json';
    const pins = pinsOf(options, async () => (await get(this.#scope, keysPath)) as unknown as KeySet);
    this.#scope = { wire, pins, options };
  }

  // The types of inputs and outputs are those of the declarations; no value depends on them.
  readonly run = ((orb: string, inputs: Json, options: RunOptions = {}) =>
    run(this.#scope, orb, inputs, options)) as Orb['run'];

  readonly enqueue = ((orb: string, inputs: Json, options: QueueOptions = {}) =>
    enqueue(this.#scope, { orb, inputs, options }, (runId) => ({
      cancel: () => this.#cancel(runId),
      events: (more = {}) => events(this.#scope, { ...more, runId }),
    }))) as Orb['enqueue'];

  readonly runs: Orb['runs'] = {
    ...this.#listed('runs'),
    settle: (runId, options) => followRun(this.#scope, { runId }, options),
  };

  readonly receipts: Orb['receipts'] = {
    ...this.#listed('receipts'),
    verify: async (document, expected) => {
      const { options, pins } = this.#scope;
      return verifyReceipt(document, await pins.keys(), { ...expected, ed25519: options.ed25519 });
    },
    trust: (document) => this.#scope.pins.take(document),
  };

  readonly orbs: Orb['orbs'] = this.#listed('orbs');

  readonly events: Orb['events'] = (options) => events(this.#scope, options);

  readonly stream: Orb['stream'] = (inputs, options) => stream(this.#scope, inputs, options);

  readonly tools: Orb['tools'] = (format, { orbiset } = {}) =>
    tools(this.#scope, { format, orbiset }, (orb, inputs, options) => run(this.#scope, orb, inputs, options));

  readonly verifyWebhook: Orb['verifyWebhook'] = (headers, body, by) => {
    const { skew, time: clock } = this.#scope.wire;
    return verifyWebhook(headers, body, { now: clock.now() + skew, ...by });
  };

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { body, key, query } = options;
    const { heard } = await persist(this.#scope.wire, {
      ...{ method, path, query, body, ...untilOf(this.#scope, options), tries: this.#scope.options.tries },
      repeatable: key !== undefined || /^(?:GET|HEAD)$/.test(method),
      headers: defined({ 'idempotency-key': key }),
    });
    if (heard.kind === 'broken') {
      const [code, why] = heard.sent ? ['unknown', 'the answer was lost'] : ['unreachable', 'it was not sent'];
      throw new OrbError(code, `${method} ${path}: ${why}`);
    }
    const { headers, json, status, text } = heard;
    return { ok: status >= 200 && status < 300, status, headers, body: json ?? text };
  }

  #listed(name: string): Orb['orbs'] {
    return {
      get: (id) => get(this.#scope, `/${name}/${encodeURIComponent(id)}`),
      list: (filter) => list(this.#scope, `/${name}`, name, filter),
    };
  }

  async #cancel(runId: string): Promise<{ readonly cancelled: boolean; readonly code?: string }> {
    const { heard } = await persist(this.#scope.wire, {
      ...{ method: 'POST', path: `/runs/${encodeURIComponent(runId)}/cancel`, repeatable: true },
      ...untilOf(this.#scope),
    });
    if (heard.kind === 'broken') return { cancelled: false, code: 'unknown' };
    if (heard.status < 300) return { cancelled: true };
    return { cancelled: false, code: problemOf(heard)?.code ?? `http_${heard.status}` };
  }
}

function wireOf(url: string, auth: Auth, options: Options): Wire {
  let base: URL;
  try {
    base = new URL(url);
  } catch {
    throw new OrbError('url', 'the address of the server is not a URL');
  }
  const checkToken = (token: string): void => checkPlace(token, options);
  if (typeof auth === 'string') checkToken(auth);
  return {
    ...{ url: `${base.origin}${base.pathname.replace(/\/+$/, '')}`, auth, agent, checkToken, skew: 0 },
    // Some runtimes want `fetch` to be called as a function of the global object.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    time: options.time ?? time,
    log: options.log ?? (() => undefined),
  };
}
