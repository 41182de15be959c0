import { PlatformError } from '../../../kernel/index.ts';

/** A value of a request's body, with its place in the body. A `null` counts as absent. */
export class Member {
  readonly value: unknown;
  readonly #outer: Member | undefined;
  readonly #name: string | number;

  /** `outer`: the value that has it, under a name or a number. */
  constructor(value: unknown, outer?: Member, name: string | number = '') {
    this.value = value ?? undefined;
    this.#outer = outer;
    this.#name = name;
  }

  // Written only when the value is refused.
  get #path(): string {
    if (this.#outer === undefined) return '#';
    return `${this.#outer.#path}/${String(this.#name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }

  get isAbsent(): boolean {
    return this.value === undefined;
  }

  /** Refuses the value. Throws 422 `invalid_body`, or the problem given. */
  refuse(detail: string, code = 'invalid_body'): never {
    const pointer = this.#path;
    const name = pointer === '#' ? 'the body' : paramOf(pointer);
    throw new PlatformError(code, `${name} ${detail}`, { errors: [{ pointer, detail }] });
  }

  /** Refuses the value as one that the gateway cannot pass on. Throws 400 `unsupported_parameter`. */
  unsupported(detail = 'is not supported'): never {
    return this.refuse(detail, 'unsupported_parameter');
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.refuse(this.isAbsent ? 'is missing' : 'must be a string');
  }

  number(): number {
    return typeof this.value === 'number' ? this.value : this.refuse('must be a number');
  }

  integer(): number {
    return Number.isInteger(this.value) ? this.number() : this.refuse('must be an integer');
  }

  flag(): boolean {
    return typeof this.value === 'boolean' ? this.value : this.refuse('must be true or false');
  }

  word<W extends string>(...words: readonly W[]): W {
    const found = words.find((word) => word === this.value);
    return found ?? this.refuse(this.isAbsent ? 'is missing' : `must be one of ${words.join(', ')}`);
  }

  items(): readonly Member[] {
    if (!Array.isArray(this.value)) return this.refuse(this.isAbsent ? 'is missing' : 'must be an array');
    return this.value.map((item, at) => new Member(item, this, at));
  }

  /** The value as JSON has it: an object whose members the gateway passes on. */
  plain(): Readonly<Record<string, unknown>> {
    if (typeof this.value !== 'object' || this.value === null || Array.isArray(this.value))
      return this.refuse(this.isAbsent ? 'is missing' : 'must be an object');
    return this.value as Readonly<Record<string, unknown>>;
  }

  /** A member of an object, whether or not it is there. */
  at(name: string): Member {
    return new Member(this.plain()[name], this, name);
  }

  /**
   * Refuses members of an object that are not `known`: 400 `unsupported_parameter` for those of the vendor's API, with
   * their value that changes nothing, if they have one, excepted; else 400 `unknown_parameter`.
   */
  only(known: ReadonlySet<string>, foreign: ReadonlyMap<string, unknown> = none): this {
    const own = this.plain();
    for (const name in own) {
      const value = own[name];
      if (known.has(name) || value === null) continue;
      const member = this.at(name);
      if (!foreign.has(name)) return member.refuse('is unknown', 'unknown_parameter');
      const neutral = foreign.get(name);
      if (neutral === undefined || JSON.stringify(value) !== JSON.stringify(neutral)) member.unsupported();
    }
    return this;
  }

  /** Reads the value unless it is absent. */
  maybe<T>(read: (member: this) => T): T | undefined {
    return this.isAbsent ? undefined : read(this);
  }
}

const none: ReadonlyMap<string, unknown> = new Map();

/** Writes a JSON pointer as the APIs of models name a parameter: `messages[0].content`. */
export function paramOf(pointer: string): string {
  const parts = pointer.replace(/^#?\/?/, '').split('/');
  const names = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.map((name, at) => (/^\d+$/.test(name) ? `[${name}]` : at === 0 ? name : `.${name}`)).join('');
}

/** The names of an object that a reader knows. */
export const names = (text: string): ReadonlySet<string> => new Set(text.split(' '));
