/** The most tokens that a call can use. */
export interface TokenBound {
  readonly input: number;
  readonly output: number;
}

/** What an alias says of its model. */
export interface ModelBounds {
  /** What is sent when the call names no `max_output_tokens`. */
  readonly max_output_tokens?: number;
  /** The most tokens of one image. */
  readonly image_tokens?: number;
}

// What a chat template adds to a message, at most.
const perMessage = 16;

type Json = Readonly<Record<string, unknown>>;

/**
 * Bounds the tokens of a chat without a tokenizer: byte-level BPE never makes more tokens than the text has bytes. Undefined
 * when nothing bounds the output, or an image, a document or audio in the input.
 */
export function boundOfChat(
  inputs: Json,
  { max_output_tokens: usual, image_tokens: image }: ModelBounds,
): TokenBound | undefined {
  const messages = Array.isArray(inputs['messages']) ? (inputs['messages'] as readonly Json[]) : [];
  const named = inputs['max_output_tokens'];
  const output = typeof named === 'number' ? named : usual;
  if (output === undefined) return undefined;
  const counts = { bytes: 0, images: 0, others: 0 };
  for (const message of messages) count(message, counts);
  if (counts.others > 0 || (counts.images > 0 && image === undefined)) return undefined;
  const { tools, response_format: format } = inputs;
  const schemas = [tools, format].filter((one) => one !== undefined).map((one) => JSON.stringify(one));
  const bytes = schemas.reduce((sum, text) => sum + Buffer.byteLength(text), counts.bytes);
  return { input: bytes + messages.length * perMessage + counts.images * (image ?? 0), output };
}

/** Bounds the tokens of an embedding: the bytes of its texts, or the tokens that the caller sends. */
export function boundOfEmbedding({ input }: Json): TokenBound {
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input];
  const tokens = texts.reduce<number>((sum, one) => {
    if (typeof one === 'string') return sum + Buffer.byteLength(one) + perMessage;
    return sum + (Array.isArray(one) ? one.length + perMessage : 1);
  }, 0);
  return { input: tokens, output: 0 };
}

/** Says whether a chat holds audio, whose tokens have prices of their own. */
export function hasAudio(inputs: Json): boolean {
  const messages = Array.isArray(inputs['messages']) ? (inputs['messages'] as readonly Json[]) : [];
  return messages.some(
    ({ content }) => Array.isArray(content) && content.some((part: Json) => part['type'] === 'audio'),
  );
}

interface Counts {
  bytes: number;
  images: number;
  others: number;
}

// Counts the texts of a message, wherever they are in it.
function count(value: unknown, counts: Counts): void {
  if (typeof value === 'string') counts.bytes += Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return;
  const type = (value as Json)['type'];
  if (type === 'image') counts.images += 1;
  else if (type === 'document' || type === 'audio') counts.others += 1;
  else for (const member of Object.values(value)) count(member, counts);
}
