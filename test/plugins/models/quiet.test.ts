import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import { expect } from 'chai';
import OpenAI from 'openai';
import { ProviderError } from '../../../kernel/adapter.ts';
import { said, startBed, type Bed } from './bed.ts';

const keepaliveMs = 1000;
/** A proxy closes a connection on which nothing is sent for so long. */
const idleMs = 1700;
/** Longer than the proxy waits. */
const thinksMs = 2600;

const messages = [{ role: 'user' as const, content: 'hi' }];

/** A call by a stock client: its text, or what it throws. */
interface Client {
  readonly name: string;
  readonly whole: (url: string, key: string, model: string) => Promise<string>;
  readonly streamed: (url: string, key: string, model: string) => Promise<string>;
  /** The code of the platform in an error of the client. */
  readonly codeOf: (error: unknown) => unknown;
}

const clients: readonly Client[] = [
  {
    name: 'openai',
    whole: async (url, apiKey, model) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
      return (await client.chat.completions.create({ model, messages })).choices[0]?.message.content ?? '';
    },
    streamed: async (url, apiKey, model) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
      const stream = client.chat.completions.stream({ model, messages });
      return (await stream.finalChatCompletion()).choices[0]?.message.content ?? '';
    },
    codeOf: (error) => (error instanceof OpenAI.APIError ? error.code : error),
  },
  {
    name: '@anthropic-ai/sdk',
    whole: async (baseURL, apiKey, model) => {
      const client = new Anthropic({ baseURL, apiKey, maxRetries: 0 });
      return textOf(await client.messages.create({ model, max_tokens: 9, messages }));
    },
    streamed: async (baseURL, apiKey, model) => {
      const client = new Anthropic({ baseURL, apiKey, maxRetries: 0 });
      return textOf(await client.messages.stream({ model, max_tokens: 9, messages }).finalMessage());
    },
    codeOf: (error) =>
      error instanceof Anthropic.APIError
        ? (error.error as { error?: { details?: { error_code?: string } } }).error?.details?.error_code
        : error,
  },
];

const textOf = ({ content: [block] }: Anthropic.Message): string => (block?.type === 'text' ? block.text : '');
const thrown = async (work: Promise<unknown>): Promise<unknown> => {
  const result = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in result) throw new Error(`it answered ${JSON.stringify(result.value)}`);
  return result.error;
};

describe('a quiet line', function () {
  let bed: Bed;
  let proxy: Server;
  let url: string;
  before(async () => {
    bed = await startBed({
      platform: {
        plugins: { models: { config: { keepalive_ms: keepaliveMs } } },
        providers: { one: { adapter: 'llm/script' }, two: { adapter: 'llm/script' } },
      },
    });
    proxy = proxyTo(Number(new URL(bed.platform.url).port));
    await once(proxy, 'listening');
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    // The name of the model says how it behaves.
    const attempts = new Map<unknown, number>();
    bed.answer(async ({ model }) => {
      const attempt = (attempts.get(model) ?? 0) + 1;
      attempts.set(model, attempt);
      const behaviour = String(model).split('/')[0];
      if (attempt === 1) await pause(thinksMs);
      if (behaviour === 'rejects') throw new ProviderError('rejected', 'the prompt is too long');
      if (behaviour === 'fails' || (behaviour === 'moves' && attempt === 1))
        throw new ProviderError('not_sent', 'no connection', { phase: 'open' });
      return said('hello');
    });
  });
  after(async () => {
    await bed.platform.stop();
    proxy.close();
  });
  const key = (): string => bed.platform.adminKey;

  // At once: each takes seconds.
  it('stays open while a model thinks and while a run fails over, and a late error has its code', async () => {
    await Promise.all(
      clients.flatMap(({ codeOf, name, streamed, whole }) => [
        thrown(whole(url, key(), `cut/${name}`)).then((error) => {
          // The proxy closes what is quiet.
          expect(error, name).to.have.property('name').that.is.oneOf(['Error', 'APIConnectionError']);
        }),
        streamed(url, key(), `thinks/${name}`).then((text) => expect(text, name).to.equal('hello')),
        streamed(url, key(), `moves/${name}`).then((text) => expect(text, name).to.equal('hello')),
        thrown(streamed(url, key(), `rejects/${name}`)).then((error) =>
          expect(codeOf(error), name).to.equal('provider_rejected'),
        ),
        thrown(streamed(url, key(), `fails/${name}`)).then((error) =>
          expect(codeOf(error), name).to.equal('provider_unavailable'),
        ),
      ]),
    );
  });

  it('has the record of each call', async () => {
    const { runs } = (await bed.platform.call('GET', '/runs?limit=100')).body;
    const found = (runs as { status: string; reason?: string }[]).map(({ reason, status }) => reason ?? status);
    expect(found.sort()).to.deep.equal(
      [
        ...['caller_gone', 'completed', 'completed', 'provider_rejected', 'provider_unavailable'],
        ...['caller_gone', 'completed', 'completed', 'provider_rejected', 'provider_unavailable'],
      ].sort(),
    );
  });
});

function proxyTo(port: number): Server {
  const server = createServer((client: Socket) => {
    const upstream = connect(port, '127.0.0.1');
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    upstream.setTimeout(idleMs, end);
    client.pipe(upstream).pipe(client);
  });
  return server.listen(0, '127.0.0.1');
}
