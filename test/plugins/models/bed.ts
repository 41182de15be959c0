import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineProvider, ProviderError, type ExecuteContext } from '../../../kernel/adapter.ts';
import { chatOrb, countOrb, embedOrb } from '../../../plugins/models/scope.ts';
import { llm } from '../../../providers/llm/contract.ts';
import { packageDir } from '../../helpers/folder.ts';
import { startPlatform, type Answer, type PlatformOptions, type TestPlatform } from '../../helpers/platform.ts';

type Inputs = Readonly<Record<string, unknown>>;

/** What the provider of a test does with one call. */
export type Answering = (inputs: Inputs, context: ExecuteContext) => Promise<Record<string, unknown>>;

/** A platform whose models a test answers. */
export interface Bed {
  readonly platform: TestPlatform;
  /** Inputs of all calls of the provider, in order. */
  readonly calls: readonly Inputs[];
  /** Sets what the provider does from now on. */
  answer(answering: Answering): void;
  /** Sends a request to a door with the admin's key. */
  post(path: string, body: unknown, more?: Posting): Promise<Answer & { readonly text: string }>;
}

/** What differs from a plain request. */
export interface Posting {
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined: in `Authorization`. */
  readonly keyHeader?: string;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** Usage that the provider of the tests reports. */
export const usage = { input_tokens: 12, output_tokens: 3, source: 'vendor' } as const;

/** The outputs of a model that said a text. */
export const said = (content: string, more: object = {}): Record<string, unknown> => ({
  ...{ model: 'vendor-model-1', content, tool_calls: [], finish_reason: 'stop', usage },
  ...more,
});

/** The manifest of an Orb that ships. */
export function shippedOrb(id: string): object {
  return JSON.parse(readFileSync(join(packageDir, `data/orbs/${id}.json`), 'utf8')) as object;
}

/** A provider of models that a test answers. */
export interface Script extends Pick<Bed, 'calls' | 'answer'> {
  readonly adapters: NonNullable<PlatformOptions['adapters']>;
  /** The Orbs of models. */
  readonly data: NonNullable<PlatformOptions['data']>;
}

/** Makes a provider of models that a test answers. */
export function script(): Script {
  const calls: Inputs[] = [];
  let answering: Answering = async () => said('hello');
  const adapter = defineProvider({
    name: 'script',
    capability: llm,
    config: {
      type: 'object',
      additionalProperties: false,
      properties: { models: { type: 'object', additionalProperties: { type: 'object' } } },
    },
    open: ({ config: { models } }) => ({
      async execute(inputs, context) {
        // As the adapters that ship do.
        if (models !== undefined && !Object.hasOwn(models, String(inputs['model'])))
          throw new ProviderError('provider_fault', 'this provider does not offer the model', { phase: 'model' });
        calls.push(inputs);
        return answering(inputs, context);
      },
    }),
  });
  return {
    calls,
    answer: (next) => void (answering = next),
    adapters: [adapter],
    data: Object.fromEntries([chatOrb, countOrb, embedOrb].map((id) => [`orbs/${id}.json`, shippedOrb(id)])),
  };
}

/** Starts a platform whose provider of models is the test. */
export async function startBed(options: PlatformOptions = {}): Promise<Bed> {
  const { adapters, answer, calls, data } = script();
  const platform = await startPlatform({
    ...options,
    platform: { providers: { vendor: { adapter: 'llm/script' } }, ...options.platform },
    data: { ...data, ...options.data },
    adapters,
  });
  return {
    ...{ platform, calls, answer },
    post: async (path, body, { headers = {}, keyHeader, key = platform.adminKey, signal } = {}) => {
      const response = await fetch(platform.url + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(keyHeader === undefined ? { authorization: `Bearer ${key}` } : { [keyHeader]: key }),
          ...headers,
        },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      });
      const { status, headers: sent } = response;
      const text = await response.text();
      const isJson = sent.get('content-type')?.includes('json') === true;
      return { status, headers: sent, text, body: isJson ? (JSON.parse(text) as unknown) : undefined };
    },
  };
}
