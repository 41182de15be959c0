import { canonical, digest, ProviderError, type FailureOutcome, type UpstreamCall } from '../../../kernel/adapter.ts';
import { isObject, plain, type ToolResult } from './text.ts';

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

/** How results are read. */
export interface ResultReading {
  readonly maxBytes: number;
  /** The server is an Agent Orb installation: its problems say what became of a call. */
  readonly isOrb: boolean;
}

/** What decides the meaning of an error of a tool. */
export interface Failing extends Pick<UpstreamCall, 'effect'> {
  readonly tool_errors: UpstreamCall['tool_errors'] | undefined;
}

/** Reads the result of a tool. Throws ProviderError for an error of the tool: what it means depends on the effect. */
export function outputsOf(
  result: ToolResult,
  { effect, tool_errors }: Failing,
  { maxBytes, isOrb }: ResultReading,
): McpOutputs & Record<string, unknown> {
  if (result['isError'] === true)
    throw (isOrb ? orbFailure(result) : undefined) ?? toolError(result, effect, tool_errors);
  const given = Array.isArray(result['content']) ? (result['content'] as readonly unknown[]) : [];
  const content = given.filter(isObject).map(withoutMeta);
  const structured = result['structuredContent'];
  const outputs = { content, ...(structured === undefined ? {} : { structured }) };
  const text = canonicalOrPlain(outputs);
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return outputs;
  if (effect === 'none')
    throw new ProviderError('rejected', `the result has ${bytes} bytes; the limit is ${maxBytes}; request less data`, {
      phase: 'response',
    });
  return { content: { truncated: true, bytes, digest: digest(text) } };
}

function canonicalOrPlain(value: object): string {
  try {
    return canonical(value);
  } catch {
    // The kernel refuses it with the reason.
    return JSON.stringify(value);
  }
}

// What a server adds for clients says nothing to a caller of the Orb, and could be taken for a word of the platform.
function withoutMeta({ _meta: _, ...block }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { resource } = block;
  if (!isObject(resource)) return block;
  const { _meta: __, ...inner } = resource;
  return { ...block, resource: inner };
}

function toolError(result: ToolResult, effect: UpstreamCall['effect'], errors: Failing['tool_errors']) {
  const text = textOf(result);
  const harmless = effect === 'none' || effect === 'idempotent' || errors === 'no_effect';
  if (harmless) return new ProviderError('rejected', `the tool returned an error; ${text}`, { phase: 'tool_error' });
  // A failed tool may have had an effect.
  return new ProviderError('unknown', `the tool failed without reporting whether it had an effect; ${text}`, {
    phase: 'tool_error',
  });
}

function textOf(result: ToolResult): string {
  const blocks = Array.isArray(result['content']) ? (result['content'] as readonly unknown[]) : [];
  const texts = blocks.flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  const text = plain(texts.slice(0, 16).join(' ')).trim();
  // Mark the text, so that it does not look like a text of this server.
  return text === '' ? 'it gave no reason' : `message of the tool: ${JSON.stringify(text)}`;
}

const outcomes: Readonly<Record<string, FailureOutcome>> = {
  access_denied: 'rejected',
  approval_required: 'rejected',
  invalid_inputs: 'rejected',
  provider_rejected: 'rejected',
  provider_failed: 'provider_fault',
  definition_changed: 'provider_fault',
  no_provider_allowed: 'provider_fault',
  provider_unavailable: 'not_sent',
  policy_unavailable: 'not_sent',
  overloaded: 'not_sent',
  draining: 'not_sent',
  rate_limited: 'not_sent',
  run_cancelled: 'not_sent',
};

/** Reads the problem by which another installation says what became of a call; undefined when it gave none. */
function orbFailure(result: ToolResult): ProviderError | undefined {
  const meta = result['_meta'];
  const problem = isObject(meta) ? meta['agent-orb/problem'] : undefined;
  if (!isObject(problem) || typeof problem['code'] !== 'string') return undefined;
  const code = /^[a-z_]{1,64}$/.test(problem['code']) ? problem['code'] : 'other';
  const detail = typeof problem['detail'] === 'string' ? plain(problem['detail']) : '';
  // A timed-out run of an Orb with an effect may have been dispatched there; so may whatever is not listed.
  const outcome = outcomes[code] ?? 'unknown';
  return new ProviderError(outcome, `the upstream installation responded with ${code}: ${detail}`, { phase: code });
}
