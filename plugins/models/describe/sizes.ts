import { SecretCounter, type Findings } from './findings.ts';

/** How much the inputs of a call hold. */
export interface Sizes {
  readonly messages: number;
  readonly input_bytes: number;
  readonly images: number;
  readonly documents: number;
  readonly audio: number;
  readonly findings: Findings;
}

type Json = Readonly<Record<string, unknown>>;

const media = { image: 'images', document: 'documents', audio: 'audio' } as const;

/** Counts what the inputs of a call hold, and the secrets in them. */
export function sizesOf(inputs: Json): Sizes {
  const { messages, input, tools, response_format, stop, vendor } = inputs;
  const walk = new Walk();
  for (const value of [messages, input, tools, response_format, stop, vendor]) walk.read(value);
  return { messages: itemsOf(messages ?? input), ...walk.counts, findings: walk.secrets.counts };
}

// Tokens are a text as numbers.
function itemsOf(value: unknown): number {
  if (!Array.isArray(value)) return value === undefined ? 0 : 1;
  return typeof value[0] === 'number' ? 1 : value.length;
}

class Walk {
  readonly secrets = new SecretCounter();
  readonly counts = { input_bytes: 0, images: 0, documents: 0, audio: 0 };

  read(value: unknown): void {
    if (typeof value === 'string') {
      this.counts.input_bytes += Buffer.byteLength(value);
      this.secrets.read(value);
    }
    if (typeof value !== 'object' || value === null) return;
    const medium = mediumOf(value as Json);
    if (medium === undefined) return Object.values(value).forEach((member) => this.read(member));
    this.counts[medium] += 1;
    // Its data is no text; its address and its name are.
    for (const [name, member] of Object.entries(value)) if (name !== 'data_base64') this.read(member);
  }
}

// A schema of a tool may have a member `type` with such a word; only parts have data.
function mediumOf({ type, data_base64, url }: Json): (typeof media)[keyof typeof media] | undefined {
  const isPart = typeof data_base64 === 'string' || (type === 'image' && typeof url === 'string');
  return isPart && typeof type === 'string' && Object.hasOwn(media, type)
    ? media[type as keyof typeof media]
    : undefined;
}
