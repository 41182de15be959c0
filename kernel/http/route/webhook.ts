import type { JsonSchema } from '../../tools/schema.ts';

/** A request that the server sends to an address which a caller registered by a route. */
export interface Webhook {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Headers of the request, with their descriptions. */
  readonly headers: Readonly<Record<string, string>>;
  /** Schemas of the body by media type. */
  readonly content: Readonly<Record<string, JsonSchema>>;
  /** Answers of the receiver by status, with their descriptions. */
  readonly answers: Readonly<Record<string, string>>;
}
