import { ProviderError } from '../../../kernel/adapter.ts';
import { usageOf } from '../mapping/usage.ts';
import { member, textMember } from '../../vendor/http/json.ts';
import type { EmbedInputs } from '../shape/inputs.ts';
import type { EmbedOutputs } from '../shape/outputs.ts';
import { present, withVendor } from '../wire/parameters.ts';
import type { RequestOptions } from './request.ts';

/** Makes the body of a call of embeddings. */
export function embedRequest(
  inputs: EmbedInputs,
  { allowed, dialect, model }: Pick<RequestOptions, 'allowed' | 'dialect' | 'model'>,
): Readonly<Record<string, unknown>> {
  const { input, dimensions, encoding_format } = inputs;
  const format = dialect.embeds_base64 ? encoding_format : undefined;
  return withVendor(present({ model, input, dimensions, encoding_format: format }), inputs.vendor, allowed);
}

/** Reads the answer. Throws ProviderError `unknown` unless it has one vector for each text. */
export function embedOutputs(body: unknown, { input, encoding_format }: EmbedInputs, sent: string): EmbedOutputs {
  const data = member(body, 'data');
  const count = typeof input === 'string' || typeof input[0] === 'number' ? 1 : input.length;
  const vectors = Array.isArray(data) ? data.map((entry: unknown, at) => vectorOf(entry, at)) : [];
  const sorted = vectors.flatMap((vector) => vector ?? []).sort((one, other) => one.index - other.index);
  if (sorted.length !== count || sorted.some(({ index }, at) => index !== at))
    throw new ProviderError('unknown', 'the vendor answered without one vector for each text', { phase: 'response' });
  const id = textMember(body, 'id')?.slice(0, 512);
  return {
    model: textMember(body, 'model')?.slice(0, 512) ?? sent,
    sent_model: sent,
    ...(id !== undefined && id !== '' && { provider_response_id: id }),
    embeddings: sorted.map(({ vector }) => (encoding_format === 'base64' ? encoded(vector) : decoded(vector))),
    usage: embedUsage(body),
  };
}

function embedUsage(body: unknown): EmbedOutputs['usage'] {
  return usageOf('openai', member(body, 'usage'), 'vendor');
}

interface Entry {
  readonly index: number;
  readonly vector: string | readonly number[];
}

function vectorOf(entry: unknown, at: number): Entry | undefined {
  const [index = at, vector] = [member(entry, 'index'), member(entry, 'embedding')];
  if (typeof index !== 'number') return undefined;
  if (typeof vector === 'string') return { index, vector };
  const numbers = Array.isArray(vector) && vector.every((value) => Number.isFinite(value));
  return numbers ? { index, vector: vector as number[] } : undefined;
}

function encoded(vector: Entry['vector']): string {
  if (typeof vector === 'string') return vector;
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, at) => bytes.writeFloatLE(value, at * 4));
  return bytes.toString('base64');
}

function decoded(vector: Entry['vector']): number[] {
  if (typeof vector !== 'string') return [...vector];
  const bytes = Buffer.from(vector, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}
