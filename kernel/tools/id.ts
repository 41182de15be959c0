import { randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';
import { ownerFaults } from './ownership.ts';

// Run, receipt, principal, decision, swap, installation, request and event: open to any plugin.
const kernelPrefixes = ['run', 'rec', 'prn', 'dec', 'swp', 'ins', 'req', 'evt'];

/** Makes identifiers `<prefix>_<ULID>` that sort by time and never repeat within a process. */
export type Ids = (prefix: string) => string;

export function createIds(clock: Clock): Ids {
  const ulids = new Ulids();
  return (prefix) => `${prefix}_${ulids.next(clock.now())}`;
}

interface IdOwner {
  readonly name: string;
  readonly ids: readonly string[];
}

/** Limits an identifier maker to the prefixes that a plugin declares, and the kernel's; another prefix throws. */
export function idsOf(ids: Ids, { name, ids: declared }: IdOwner): Ids {
  const allowed = new Set([...kernelPrefixes, ...declared]);
  return (prefix) => {
    if (!allowed.has(prefix)) throw new Error(`the plugin ${name} does not declare the prefix ${prefix}`);
    return ids(prefix);
  };
}

/** Lists every prefix that two plugins, or a plugin and the kernel, declare. */
export function prefixFaults(plugins: readonly IdOwner[]): string[] {
  return ownerFaults(
    'prefix',
    { ofKernel: kernelPrefixes, plugins },
    ({ ids }) => ids,
    (prefix) => (/^[a-z]{2,8}$/.test(prefix) ? undefined : 'is not two to eight small letters'),
  );
}

// Crockford's base 32 (ULID specification): 10 digits of time in milliseconds, 16 of randomness.
const alphabet = Buffer.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
const timeDigits = 10;
const digits = 26;
const poolLength = 256 * (digits - timeDigits);

/** Returns the smallest identifier of a prefix that can be made at a time, milliseconds since the Unix epoch. */
export function firstIdAt(prefix: string, ms: number): string {
  const time: string[] = [];
  for (let rest = Math.max(0, Math.floor(ms)); time.length < timeDigits; rest = Math.floor(rest / 32))
    time.unshift(String.fromCharCode(alphabet[rest % 32] ?? 0));
  return `${prefix}_${time.join('')}${'0'.repeat(digits - timeDigits)}`;
}

// Makes ULIDs that always increase: within a millisecond, and while the clock goes back, the last one plus one.
class Ulids {
  readonly #digits = new Uint8Array(digits);
  readonly #text = Buffer.alloc(digits);
  // One system call fills the pool for hundreds of identifiers.
  readonly #pool = new Uint8Array(poolLength);
  #used = poolLength;
  #ms = -1;

  next(now: number): string {
    const ms = Math.floor(now);
    if (ms > this.#ms) this.#begin(ms);
    else if (!this.#count()) this.#begin(this.#ms + 1);
    return this.#text.toString('latin1');
  }

  #begin(ms: number): void {
    this.#ms = ms;
    let rest = ms;
    for (let at = timeDigits - 1; at >= 0; at--) {
      this.#put(at, rest % 32);
      rest = Math.floor(rest / 32);
    }
    if (this.#used === poolLength) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    for (let at = timeDigits; at < digits; at++) this.#put(at, (this.#pool[this.#used++] ?? 0) & 31);
  }

  // Adds one to the randomness; false when there is no higher one.
  #count(): boolean {
    for (let at = digits - 1; at >= timeDigits; at--) {
      const digit = (this.#digits[at] ?? 0) + 1;
      this.#put(at, digit & 31);
      if (digit < 32) return true;
    }
    return false;
  }

  #put(at: number, digit: number): void {
    this.#digits[at] = digit;
    this.#text[at] = alphabet[digit] ?? 0;
  }
}
