/** Which traces are exported. */
export interface Sampling {
  /** Part of the traces that are sampled, 0–1. */
  readonly root: number;
  /** The caller of a trace decides, where there is one. */
  readonly parent: boolean;
}

const samplers: Readonly<Record<string, (ratio: number) => Sampling>> = {
  always_on: () => ({ root: 1, parent: false }),
  always_off: () => ({ root: 0, parent: false }),
  traceidratio: (root) => ({ root, parent: false }),
  parentbased_always_on: () => ({ root: 1, parent: true }),
  parentbased_always_off: () => ({ root: 0, parent: true }),
  parentbased_traceidratio: (root) => ({ root, parent: true }),
};

/** Reads OTEL_TRACES_SAMPLER and its argument; answers the fault as a text. */
export function samplerOf(name: string, argument = '1'): Sampling | string {
  const made = samplers[name];
  if (made === undefined) return `must be one of ${Object.keys(samplers).join(', ')}`;
  const ratio = Number(argument);
  return ratio >= 0 && ratio <= 1 ? made(ratio) : 'the ratio must be a number from 0 to 1';
}

/**
 * Reads `name=value,name=value` with values in percent-encoding, the form of the variables of OpenTelemetry (W3C Baggage,
 * without properties); undefined: it has another form.
 */
export function pairsOf(text: string): Readonly<Record<string, string>> | undefined {
  const pairs: [string, string][] = [];
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    if (at < 1) return undefined;
    try {
      pairs.push([part.slice(0, at).trim(), decodeURIComponent(part.slice(at + 1).trim())]);
    } catch {
      return undefined;
    }
  }
  return Object.fromEntries(pairs);
}

const ours = new Set(['connection', 'content-encoding', 'content-length', 'content-type', 'host', 'transfer-encoding']);

/** Says which headers cannot be sent, never their values. */
export function headerFaults(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return ['holds a name that is no name of a header'];
    if (ours.has(name.toLowerCase())) return [`${name} is set by the program; remove it`];
    return /^[\t\x20-\x7e]*$/.test(value) ? [] : [`the value of ${name} has characters that no header may have`];
  });
}

/** Says why an address is none of a collector, without repeating it: it may hold a secret. */
export function endpointFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return 'must be the address of a collector, such as http://127.0.0.1:4318 or https://collector.example.com';
  if (url.username !== '' || url.password !== '') return 'must not hold a user or a password; put them into a header';
  return url.hash === '' ? undefined : 'must not have a fragment (#)';
}
