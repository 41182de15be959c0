import { parseTarget, type Target } from '../../../kernel/outbound.ts';
import { ProviderError } from '../../../kernel/adapter.ts';

/**
 * Parses the URL of a request as it will be sent: as `parseTarget` does, and in its path no character is escaped that
 * needs no escape (RFC 3986 §6.2.2), since `/%61dmin` and `/admin` are one path. The query stays as the caller wrote it.
 * Throws ProviderError `rejected`.
 */
export function requestTarget(text: string): Target {
  const target = parseTarget(text);
  const query = target.path.indexOf('?');
  const path = query < 0 ? target.path : target.path.slice(0, query);
  if (!path.includes('%')) return target;
  if (/%(?![0-9a-f]{2})/iu.test(path)) throw refused('has a % in its path that does not start an escape; write %25');
  return { ...target, path: `${unescaped(path)}${query < 0 ? '' : target.path.slice(query)}` };
}

/** The parts of a URL as policies see them. */
export interface ParsedUrl {
  readonly scheme: Target['scheme'];
  readonly host: string;
  readonly port: number;
  readonly origin: string;
  /** As it is sent, without the query. */
  readonly path: string;
  /** The parts between the slashes, without any escape. */
  readonly segments: readonly string[];
  readonly query: readonly { readonly name: string; readonly value: string }[];
}

/** Parses the URL of a request for policies. Throws ProviderError `rejected`. */
export function parsedUrl(text: string): ParsedUrl {
  const { scheme, host, port, origin, path: whole } = requestTarget(text);
  const { pathname, searchParams } = new URL(whole, origin);
  const path = whole.split('?', 1)[0] ?? pathname;
  return {
    ...{ scheme, host, port, origin, path },
    segments: path.slice(1).split('/').map(decoded),
    query: [...searchParams].map(([name, value]) => ({ name, value })),
  };
}

function unescaped(path: string): string {
  return path.replaceAll(/%[0-9a-f]{2}/giu, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[A-Za-z0-9._~-]/u.test(character) ? character : escape.toUpperCase();
  });
}

// Bytes that are no UTF-8 become U+FFFD.
function decoded(segment: string): string {
  const bytes = segment.replaceAll(/%([0-9A-F]{2})/gu, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function refused(reason: string): ProviderError {
  return new ProviderError('rejected', `url ${reason}`, { phase: 'guard' });
}
