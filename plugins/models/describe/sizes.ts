/** How much the inputs of a call hold. */
export interface Sizes {
  readonly messages: number;
  readonly input_bytes: number;
  readonly images: number;
  readonly documents: number;
  readonly audio: number;
}

type Json = Readonly<Record<string, unknown>>;

const media = { image: 'images', document: 'documents', audio: 'audio' } as const;
type Counts = { -readonly [K in keyof Sizes]: Sizes[K] };

/** Counts what the inputs of a call hold. */
export function sizesOf(inputs: Json): Sizes {
  const { messages, input, tools, response_format } = inputs;
  const counts = { messages: itemsOf(messages ?? input), input_bytes: 0, images: 0, documents: 0, audio: 0 };
  for (const value of [messages, input, tools, response_format]) count(value, counts);
  return counts;
}

// Tokens are a text as numbers.
function itemsOf(value: unknown): number {
  if (!Array.isArray(value)) return value === undefined ? 0 : 1;
  return typeof value[0] === 'number' ? 1 : value.length;
}

function count(value: unknown, counts: Counts): void {
  if (typeof value === 'string') counts.input_bytes += Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return;
  const medium = mediumOf(value as Json);
  if (medium !== undefined) counts[medium] += 1;
  else for (const member of Object.values(value)) count(member, counts);
}

// A schema of a tool may have a member `type` with such a word; only parts have data.
function mediumOf({ type, data_base64, url }: Json): (typeof media)[keyof typeof media] | undefined {
  const isPart = typeof data_base64 === 'string' || (type === 'image' && typeof url === 'string');
  return isPart && typeof type === 'string' && Object.hasOwn(media, type)
    ? media[type as keyof typeof media]
    : undefined;
}
