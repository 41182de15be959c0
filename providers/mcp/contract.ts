import { defineCapability } from '../../kernel/index.ts';

/** The capability of imported Orbs: calls one tool of an MCP server. */
export const mcp = defineCapability({ name: 'mcp', title: 'Call tools of MCP servers' });

/** Outputs of an imported Orb: the result of the tool, without what its server adds for clients (`_meta`). */
export interface McpOutputs {
  /** Blocks of content as the tool gave them; only the size and digest of a result that is too long. */
  readonly content: readonly Readonly<Record<string, unknown>>[] | TruncatedResult;
  /** The structured result, when the tool gave one. */
  readonly structured?: unknown;
}

/** Replaces a result that is longer than the configuration allows. */
export interface TruncatedResult {
  readonly truncated: true;
  /** Bytes of the result as JSON in canonical form. */
  readonly bytes: number;
  /** SHA-256 of the same bytes. */
  readonly digest: string;
}
