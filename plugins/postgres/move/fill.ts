import { ConfigError } from '../../../kernel/engine.ts';
import { Refused } from '../connection/flush.ts';
import { ask, bind, type Session } from '../connection/session.ts';
import { CopyBuffer, type Kind } from './copy-buffer.ts';
import type { Cell } from './rows.ts';
import type { Source, SourceTable } from './source.ts';

/** What was copied. */
export interface Filled {
  readonly tables: number;
  readonly rows: number;
  /** How many values held U+0000, which the database cannot keep. */
  readonly replaced: number;
}

/** Called now and then, with the table that is copied and how many of its rows were. */
export type TellRows = (table: string, rows: number) => void;

// One message of COPY; the next one is written while the database takes it in.
const partBytes = 4 * 1024 * 1024;

/** Copies all tables of the modules, in many transactions: an interrupted copy is begun again. */
export async function fill(session: Session, source: Source, tell: TellRows): Promise<Filled> {
  const isTable = (text: string): boolean => text.startsWith('CREATE TABLE');
  for (const text of source.schema.filter(isTable)) await session.flush([bind(text, [])]);
  let [rows, replaced] = [0, 0];
  for (const table of source.tables) {
    const copied = await new TableCopy(session, table, tell).run();
    rows += copied.rows;
    replaced += copied.replaced;
  }
  // After the rows: that is faster, and the indexes are denser.
  for (const text of source.schema.filter((text) => !isTable(text)))
    await session.flush([bind(text, [])]).catch(refusing('an index'));
  for (const sql of source.endings) await session.flush([bind(sql, [])]);
  await session.flush(
    source.identity.migrations.map((values) =>
      bind('INSERT INTO kernel_migrations (store, number, sha256, applied_at) VALUES (?, ?, ?, ?)', values),
    ),
  );
  await session.flush(
    source.owners.map(({ incarnation, name }) =>
      bind(`INSERT INTO kernel_ended (incarnation, node, adopter, clean) VALUES (?, ?, '', 0)`, [incarnation, name]),
    ),
  );
  for (const { name } of source.tables) await ask(session, `ANALYZE ${name}`);
  return { tables: source.tables.length, rows, replaced };
}

function refusing(what: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Refused || error instanceof TypeError)) throw error;
    throw new ConfigError([`store: ${what} cannot be moved: ${error.message}`]);
  };
}

class TableCopy {
  readonly #session: Session;
  readonly #table: SourceTable;
  readonly #tell: TellRows;
  #replaced = 0;
  #rows = 0;
  #sending: Promise<number> = Promise.resolve(0);

  constructor(session: Session, table: SourceTable, tell: TellRows) {
    this.#session = session;
    this.#table = table;
    this.#tell = tell;
  }

  async run(): Promise<{ readonly rows: number; readonly replaced: number }> {
    const { columns, kinds, name } = this.#table;
    const into = `${name} (${columns.join(', ')})`;
    // The schema was rendered: each column is of a kind that the database knows.
    const part = new CopyBuffer(kinds as readonly Kind[], partBytes);
    try {
      for (const row of this.#table.rows()) {
        part.add(this.#kept(row));
        if (part.used >= partBytes) await this.#send(into, part);
      }
      await this.#send(into, part);
      await this.#sending;
      await this.#compare();
    } catch (error) {
      refusing(`the table ${name}`)(error);
    }
    return { rows: this.#rows, replaced: this.#replaced };
  }

  async #send(into: string, part: CopyBuffer): Promise<void> {
    const { rows } = part;
    const bytes = part.take();
    await this.#sending;
    this.#rows += rows;
    this.#tell(this.#table.name, this.#rows);
    this.#sending = this.#session.copy(into, bytes);
    // Its failure is met by the next wait.
    this.#sending.catch(() => undefined);
  }

  #kept(row: readonly Cell[]): readonly Cell[] {
    if (!row.some((value) => typeof value === 'string' && value.includes('\0'))) return row;
    return row.map((value) => {
      if (typeof value !== 'string' || !value.includes('\0')) return value;
      this.#replaced++;
      return value.replaceAll('\0', '\ufffd');
    });
  }

  async #compare(): Promise<void> {
    const [found] = await ask(this.#session, `SELECT count(*) AS n FROM ${this.#table.name}`);
    if (Number(found?.['n']) !== this.#rows)
      throw new TypeError(`it has ${String(found?.['n'])} rows there, ${this.#rows} here`);
  }
}
