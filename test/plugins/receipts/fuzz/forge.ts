import { decodeAnyBase64 } from '../../../../plugins/receipts/format/base64.ts';

/** A random number below a bound, the same for the same seed. */
export type Random = (below: number) => number;

/** Makes a generator of random numbers; `seed`: FORGERY_SEED, printed with each finding. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return Math.floor((((state ^ (state >>> 13)) >>> 0) / 2 ** 32) * below);
  };
}

/** Seed of a run: FORGERY_SEED, or the same one each time. */
export const seed = Number(process.env['FORGERY_SEED'] ?? 44);

/** How many mutants a test makes: a share of 5,000 with RECEIPTS_SOAK=1, or of FORGERIES; few otherwise. */
export function mutants(share: number, few: number): number {
  const whole = process.env['FORGERIES'] ?? (process.env['RECEIPTS_SOAK'] === '1' ? '5000' : undefined);
  return whole === undefined ? few : Math.ceil(Number(whole) * share);
}

/** Picks one of a list. */
export function pick<T>(list: readonly T[], random: Random): T {
  const found = list[random(list.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

/** Edits a text at a random place: a letter changed, cut, doubled or put in. */
export function edited(text: string, random: Random): string {
  const at = random(text.length);
  const letter = String.fromCharCode(33 + random(94));
  const cut = 1 + random(6);
  return pick(
    [
      () => text.slice(0, at) + letter + text.slice(at + 1),
      () => text.slice(0, at) + text.slice(at + cut),
      () => text.slice(0, at) + text.slice(at, at + cut) + text.slice(at),
      () => text.slice(0, at) + letter + text.slice(at),
    ],
    random,
  )();
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function bytesOf(text: unknown): string {
  const bytes = typeof text === 'string' ? decodeAnyBase64(text) : undefined;
  return bytes === undefined ? `not base64: ${String(text)}` : Buffer.from(bytes).toString('hex');
}

// What a server says of a receipt at the time, and what DSSE and signed notes let anybody add, is nobody's claim.
const opinions = ['signature_valid', 'checks', 'effective', 'resolution', 'consistency'];

/**
 * What a receipt or an entry claims, in one text: two artefacts of one meaning are none the forgery of the other.
 * Undefined: it is not JSON.
 */
export function meaningOf(text: string): string | undefined {
  let parsed: Members;
  try {
    parsed = membersOf(JSON.parse(text));
  } catch {
    return undefined;
  }
  const { envelope, proof, leaf, ...rest } = parsed;
  const { payload, payloadType, signatures } = membersOf(envelope);
  const [signature] = Array.isArray(signatures) ? (signatures as unknown[]) : [];
  const { checkpoint, hashes, leaf: entry, index, origin, tree_size } = membersOf(proof);
  const claims = Object.entries(rest).filter(([name]) => !opinions.includes(name));
  return JSON.stringify([
    ...[
      claims.sort(([a], [b]) => (a < b ? -1 : 1)),
      payloadType,
      bytesOf(payload),
      bytesOf(membersOf(signature)['sig']),
    ],
    ...[proof === undefined, index, origin, tree_size, bytesOf(entry), leaf === undefined ? '' : bytesOf(leaf)],
    ...[Array.isArray(hashes) ? hashes.map(bytesOf) : hashes, String(checkpoint).split('\n\n')[0]],
  ]);
}
