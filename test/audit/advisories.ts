/** What `npm audit --json` came to. */
export type Advisories =
  | { readonly kind: 'clean' }
  | { readonly kind: 'found'; readonly packages: readonly string[] }
  /** The registry was asked and told nothing. */
  | { readonly kind: 'left out'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string };

interface Said {
  readonly message?: unknown;
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity?: string }>>;
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
  readonly error?: { readonly summary?: string };
}

/** Reads what `npm audit --json` printed. High and critical advisories are found; anything unknown has failed. */
export function readAdvisories(output: string): Advisories {
  const said = parse(output);
  if (said === undefined) return { kind: 'failed', why: `npm audit printed no JSON: ${output.slice(0, 200)}` };
  const counts = said.metadata?.vulnerabilities;
  if (counts !== undefined) {
    const packages = Object.entries(said.vulnerabilities ?? {})
      .filter(([, { severity = '' }]) => ['high', 'critical'].includes(severity))
      .map(([name, { severity = '' }]) => `${name} (${severity})`);
    const counted = (counts['high'] ?? 0) + (counts['critical'] ?? 0);
    return packages.length + counted === 0 ? { kind: 'clean' } : { kind: 'found', packages };
  }
  // Such a message is npm's for an answer other than 2xx, and for a registry that cannot be reached.
  if (typeof said.message === 'string') return { kind: 'left out', why: said.message };
  return { kind: 'failed', why: `npm audit: ${said.error?.summary ?? output.slice(0, 200)}` };
}

function parse(output: string): Said | undefined {
  try {
    const said: unknown = JSON.parse(output);
    return typeof said === 'object' && said !== null ? said : undefined;
  } catch {
    return undefined;
  }
}
