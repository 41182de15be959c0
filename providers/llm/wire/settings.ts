import { connectionSettings, exactly, optional, ProviderError } from '../../../kernel/adapter.ts';
import { isLoopbackHost } from '../../../kernel/outbound.ts';
import { modelName } from '../shape/inputs.ts';
import type { AnswerLimits } from './timers.ts';

const limit = <const T extends string>(title: T) =>
  ({ type: 'integer', title, minimum: 100, maximum: 600_000 }) as const;

const mostTokens = { type: 'integer', title: 'Most tokens of an answer', minimum: 1, maximum: 10_000_000 } as const;

const model = exactly({
  name: optional({
    type: 'string',
    title: 'Name of the model at the vendor',
    minLength: 1,
    maxLength: 512,
    pattern: '^[!-~]+$',
  }),
  max_output_tokens: optional({ ...mostTokens, description: 'Sent when the caller names no number.' }),
  first_part_timeout_ms: optional(limit('Time limit until the first part of an answer')),
});

/** The setting for a base URL with its path. */
export const baseUrl = {
  type: 'string',
  title: 'Base URL of the API',
  description: 'With its path, without a slash at the end; https, or http to a loopback address or with `plain`.',
  pattern: '^https?://(?:[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~%-]+)*$',
  maxLength: 512,
} as const;

/** Settings of every adapter that calls models; units are in the names. */
export const modelSettings = {
  models: optional({
    type: 'object',
    title: 'Models',
    description: 'By the names that callers use. Without it, callers name the models of the vendor.',
    minProperties: 1,
    maxProperties: 256,
    propertyNames: { maxLength: modelName.maxLength, pattern: modelName.pattern },
    additionalProperties: model,
  }),
  vendor_parameters: optional({
    type: 'array',
    title: 'Parameters of the vendor that callers may set in `vendor`',
    maxItems: 64,
    uniqueItems: true,
    default: [],
    items: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$' },
  }),
  ignored_parameters: optional({
    type: 'array',
    title: 'Parameters that are left out instead of refused when the vendor does not have them',
    maxItems: 16,
    uniqueItems: true,
    default: [],
    items: { enum: ['temperature', 'top_p', 'seed', 'verbosity', 'reasoning_effort', 'service_tier'] },
  }),
  plain: optional({
    type: 'boolean',
    title: 'May be called without TLS',
    description: 'The key and the prompts are then sent unencrypted.',
    default: false,
  }),
  on_caller_gone: optional({
    enum: ['abort', 'drain'],
    title: 'What becomes of a call whose caller has gone',
    description: 'drain: it goes on, so that its usage is known. For vendors that bill the rest anyway.',
    default: 'abort',
  }),
  max_connections: optional({ ...connectionSettings.max_connections, maximum: 4096, default: 256 }),
  connect_timeout_ms: optional({ ...connectionSettings.connect_timeout_ms, default: 5000 }),
  first_part_timeout_ms: optional({
    ...limit('Time limit until the first part of a streamed answer'),
    default: 120_000,
  }),
  idle_timeout_ms: optional({ ...limit('Time limit without data from the vendor'), default: 60_000 }),
} as const;

interface Model {
  readonly name?: string;
  readonly max_output_tokens?: number;
  readonly first_part_timeout_ms?: number;
}

/** What the functions here read of a configuration. */
export interface ModelSettings extends AnswerLimits {
  readonly models?: Readonly<Record<string, Model>>;
}

/** Finds the vendor's name and the settings of a model. Throws ProviderError, by which the next provider is asked. */
export function modelOf({ models }: ModelSettings, asked: string): Model & { readonly name: string } {
  if (models === undefined) return { name: asked };
  const found = Object.hasOwn(models, asked) ? models[asked] : undefined;
  if (found !== undefined) return { ...found, name: found.name ?? asked };
  throw new ProviderError('provider_fault', 'this provider does not offer the model', {
    phase: 'model',
    remedy: 'add it to `models`',
  });
}

/** The time limits of a call of one model. */
export function limitsOf(settings: ModelSettings, model: Model): AnswerLimits {
  const { first_part_timeout_ms = settings.first_part_timeout_ms } = model;
  return { first_part_timeout_ms, idle_timeout_ms: settings.idle_timeout_ms };
}

/** Splits a base URL. Throws ProviderError for one that must not be called. */
export function baseOf(url: string, plain: boolean): { readonly origin: string; readonly path: string } {
  const { hostname, origin, pathname, protocol } = new URL(url);
  if (protocol === 'http:' && !plain && !isLoopbackHost(hostname))
    throw new ProviderError('provider_fault', '`base_url` is http, and its host is another machine', {
      phase: 'open',
      remedy: 'use https, or set `plain`',
    });
  return { origin, path: pathname === '/' ? '' : pathname };
}

/** Says whether a call goes on when its caller has gone. */
export function drains({ on_caller_gone }: { readonly on_caller_gone: 'abort' | 'drain' }): boolean {
  return on_caller_gone === 'drain';
}

/** Says what an operator should know of a base URL. */
export function urlWarnings(url: string): readonly string[] {
  const { hostname, protocol } = URL.parse(url) ?? {};
  if (protocol !== 'http:' || isLoopbackHost(hostname ?? '')) return [];
  return ['base_url is http, and its host is another machine: the key and the prompts are sent unencrypted'];
}
