import type { Client, Connection, Submittable } from 'pg';
import type { Row, Value } from '../../../kernel/engine.ts';

/** One statement of a flush with its values; the same text always has the same name. */
export interface Bound {
  /** Name under which the server keeps the parsed statement, for as long as the connection lives. */
  readonly name: string;
  /** The statement, with `$1`, `$2`, … for its values. */
  readonly text: string;
  readonly values: readonly Value[];
}

/** What one statement of a flush answered: its rows, and how many rows it changed. */
export interface Answered {
  readonly rows: readonly Row[];
  readonly changed: number;
  /** What the server did, as `COMMIT` or `INSERT 0 1`. */
  readonly tag: string;
}

/** A statement that the server refused; the server undid all statements of its flush. */
export class Refused extends Error {
  /** The code of the error, SQLSTATE: five characters. */
  readonly code: string;
  /** Index of the statement in its flush. */
  readonly at: number;

  constructor(message: string, code: string, at: number) {
    super(message);
    this.code = code;
    this.at = at;
  }
}

/** The connection is over: whether the last flush was committed is not known. */
export class SessionLost extends Error {}

/** The connection was over before the transaction was committed: the same can be tried again. */
export class NotCommitted extends Error {}

/**
 * Sends statements under one Sync, so that the server runs all of them in one transaction of its own, and answers what
 * each said. Rejects with Refused, and nothing has happened; or with SessionLost.
 * (PostgreSQL, "Extended Query": a Sync ends an implicit transaction; after an error all up to it is discarded.)
 */
export function flush(client: Client, statements: readonly Bound[]): Promise<readonly Answered[]> {
  const flushed = new Flush(statements);
  client.query(flushed);
  return flushed.done.promise;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** What one connection knows of the statements that its server keeps. */
interface Kept {
  /** The fields of the rows of each statement that was parsed and described. */
  readonly described: Map<string, readonly Field[]>;
  /** Statements of a flush that failed: the server may have kept them. */
  readonly unsure: Set<string>;
}

const keptBy = new WeakMap<Connection, Kept>();

function keptOn(connection: Connection): Kept {
  const known = keptBy.get(connection) ?? { described: new Map<string, readonly Field[]>(), unsure: new Set<string>() };
  keptBy.set(connection, known);
  return known;
}

// The messages as the driver takes them today; its types still name the parameters of an older version.
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  close(message: { readonly type: 'S'; readonly name: string }): void;
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: {
    readonly statement: string;
    readonly values: readonly Value[];
    readonly valueMapper: (value: Value) => string | Uint8Array | null;
  }): void;
  describe(message: { readonly type: 'P'; readonly name: string }): void;
  execute(message: { readonly portal: string }): void;
  sync(): void;
}

type ServerError = Error & { readonly code?: string; readonly severity?: string };

// A server that ends the connection says so with the severity FATAL, and whether it had committed is not known.
function faultOf(error: ServerError, at: number): Refused | SessionLost {
  const { code = '', message, severity } = error;
  return severity === 'ERROR' ? new Refused(message, code, at) : new SessionLost(message, { cause: error });
}

class Flush implements Submittable {
  readonly done = Promise.withResolvers<readonly Answered[]>();
  readonly #statements: readonly Bound[];
  readonly #answers: Answered[] = [];
  /** The fields that this flush learns of the statements that it is the first to send. */
  readonly #learned = new Map<string, readonly Field[]>();
  #kept: Kept | undefined;
  #rows: Row[] = [];

  constructor(statements: readonly Bound[]) {
    this.#statements = statements;
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire;
    const kept = keptOn(connection);
    this.#kept = kept;
    wire.stream.cork();
    for (const { name, text, values } of this.#statements) {
      const isNew = !kept.described.has(name) && !this.#learned.has(name);
      if (isNew) {
        // To close a statement that the server does not keep is no error.
        if (kept.unsure.has(name)) wire.close({ type: 'S', name });
        wire.parse({ name, text });
        this.#learned.set(name, []);
      }
      wire.bind({ statement: name, values, valueMapper: sent });
      if (isNew) wire.describe({ type: 'P', name: '' });
      wire.execute({ portal: '' });
    }
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#learned.set(this.#current(), fields);
  }

  handleDataRow({ fields: values }: { readonly fields: readonly (string | null)[] }): void {
    const name = this.#current();
    const fields = this.#learned.get(name) ?? this.#kept?.described.get(name) ?? [];
    this.#rows.push(Object.fromEntries(fields.map((field, index) => [field.name, received(field, values[index])])));
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#answers.push({ rows: this.#rows, changed: Number(/\d+$/.exec(text)?.[0] ?? 0), tag: text });
    this.#rows = [];
  }

  handleError(error: ServerError): void {
    for (const name of this.#learned.keys()) this.#kept?.unsure.add(name);
    this.done.reject(faultOf(error, this.#answers.length));
  }

  handleReadyForQuery(): void {
    for (const [name, fields] of this.#learned) this.#kept?.described.set(name, fields);
    this.done.resolve(this.#answers);
  }

  // Answers come in the order of the statements.
  #current(): string {
    return this.#statements[this.#answers.length]?.name ?? '';
  }
}

function sent(value: Value): string | Uint8Array | null {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'object' ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : String(value);
}

// Object identifiers of the types that a store's columns have, from `pg_type`; all others are text.
const bytea = 17;
const numbers = new Set([20, 21, 23, 700, 701]);

function received({ dataTypeID }: Field, text: string | null | undefined): Value {
  if (text === null || text === undefined) return null;
  if (dataTypeID === bytea) return bytesOf(text);
  return numbers.has(dataTypeID) ? Number(text) : text;
}

// Written as \x and hex. The bytes get memory of their own: a slice of the pool would take all of it to another thread.
function bytesOf(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow((text.length - 2) / 2);
  bytes.write(text.slice(2), 'hex');
  return bytes;
}

/**
 * Adds rows to a table by COPY, in a transaction of its own; answers how many. `into`: the table and its columns, as in
 * `notes (id, text)`. Rejects with Refused, and nothing has happened; or with SessionLost.
 */
export function copyIn(client: Client, into: string, rows: Uint8Array): Promise<number> {
  const copied = new Copy(into, rows);
  client.query(copied);
  return copied.done.promise;
}

// The types of the driver do not cover COPY.
interface CopyWire {
  query(text: string): void;
  sendCopyFromChunk(bytes: Uint8Array): void;
  endCopyFrom(): void;
}

class Copy implements Submittable {
  readonly done = Promise.withResolvers<number>();
  readonly #into: string;
  readonly #rows: Uint8Array;
  #count = 0;

  constructor(into: string, rows: Uint8Array) {
    this.#into = into;
    this.#rows = rows;
  }

  submit(connection: Connection): void {
    (connection as unknown as CopyWire).query(`COPY ${this.#into} FROM STDIN (FORMAT binary)`);
  }

  handleCopyInResponse(connection: Connection): void {
    const wire = connection as unknown as CopyWire;
    wire.sendCopyFromChunk(this.#rows);
    wire.endCopyFrom();
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#count = Number(/\d+$/.exec(text)?.[0] ?? 0);
  }

  handleError(error: ServerError): void {
    this.done.reject(faultOf(error, 0));
  }

  handleReadyForQuery(): void {
    this.done.resolve(this.#count);
  }
}
