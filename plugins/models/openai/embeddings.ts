import { given } from '../../../kernel/index.ts';
import { names, type Member } from '../wire/member.ts';
import type { EmbedInputs, EmbedOutputs } from '../../../providers/llm/contract.ts';
import type { OrbMember } from '../wire/shape.ts';

/** A request for embeddings, read. */
export interface EmbeddingRequest {
  readonly inputs: EmbedInputs;
  /** How the vectors are written. */
  readonly encoding: 'float' | 'base64';
}

const read = names('model input dimensions encoding_format user');

/** Reads the body of `POST /v1/embeddings`. Throws 422 `invalid_body`, 400 `unknown_parameter`. */
export function embeddingRequest(body: Member): EmbeddingRequest {
  body.only(read);
  const dimensions = body.at('dimensions').maybe((one) => one.integer());
  const encoding_format = body.at('encoding_format').maybe((one) => one.word('float', 'base64'));
  return {
    encoding: encoding_format ?? 'float',
    inputs: {
      model: body.at('model').text(),
      input: inputOf(body.at('input')),
      ...given({ dimensions, encoding_format }),
    },
  };
}

// A text, texts, or tokens of one text or of several.
function inputOf(input: Member): EmbedInputs['input'] {
  if (typeof input.value === 'string') return input.value;
  const [first, ...rest] = input.items();
  if (first === undefined) return input.refuse('must not be empty');
  const kind = kindOf(first);
  const odd = rest.find((item) => typeof item.value !== typeof first.value || kindOf(item) !== kind);
  if (odd !== undefined) odd.refuse('must be of the same kind as the first item');
  // Its items are all texts, all tokens, or all lists of tokens.
  return input.value as EmbedInputs['input'];
}

function kindOf(item: Member): string {
  if (typeof item.value === 'string') return 'text';
  if (typeof item.value === 'number') return item.integer() >= 0 ? 'token' : item.refuse('must be a token');
  for (const token of item.items()) if (token.integer() < 0) token.refuse('must be a token');
  return 'tokens';
}

/** Makes the answer of `POST /v1/embeddings`. */
export function embeddingAnswer(
  { model, embeddings, usage }: EmbedOutputs,
  { encoding }: EmbeddingRequest,
  orb: OrbMember,
) {
  const data = embeddings.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: written(vector, encoding),
  }));
  const tokens = usage.input_tokens;
  const counts = tokens === undefined ? undefined : { prompt_tokens: tokens, total_tokens: tokens };
  return { object: 'list', data, model, ...given({ usage: counts }), orb };
}

// A provider may give either form, whichever was asked for.
function written(vector: EmbedOutputs['embeddings'][number], encoding: EmbeddingRequest['encoding']): unknown {
  if (typeof vector === 'string') return encoding === 'base64' ? vector : numbersOf(vector);
  return encoding === 'base64' ? base64Of(vector) : vector;
}

function numbersOf(text: string): readonly number[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}

// Little-endian float32, whatever the machine.
function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * 4);
  vector.forEach((value, at) => bytes.writeFloatLE(value, at * 4));
  return bytes.toString('base64');
}
