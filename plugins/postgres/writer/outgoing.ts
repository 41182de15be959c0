import {
  changedElsewhere,
  claimStatement,
  claimTexts,
  claimValues,
  columnOf,
  PlatformError,
  type Awaitable,
  type Claim,
  type Row,
  type Taker,
  type Value,
  type WriteConnection,
  type WriteStatement,
} from '../../../kernel/engine.ts';
import { Refused, type Answered, type Bound } from '../connection/flush.ts';
import { bind } from '../connection/session.ts';
import { heard } from './progress.ts';
import { Answering, answering, Turns } from './turn.ts';

/** Sends statements inside an open transaction and answers each. */
export type Ask = (statements: readonly Bound[]) => Promise<readonly Answered[]>;

interface Claimed {
  readonly at: number;
  readonly claim: Claim;
  readonly taker: Taker;
  settle(answer: Awaitable<Row | undefined>): void;
}

/**
 * Gathers the statements of a batch until it is sent. While `ask` is set a transaction is open: then what was gathered
 * goes out before each statement that needs an answer. Otherwise such a statement is refused, and `needed` says so.
 */
export class Outgoing implements WriteConnection {
  #bound: Bound[] = [];
  #claims: Claimed[] = [];
  ask: Ask | undefined;
  /** Whether a statement asked for an answer while no transaction was open. */
  needed = false;
  /** How many statements asked for an answer; claims, which need none before the commit, are not among them. */
  asked = 0;
  /** How many claims were made. */
  claimed = 0;
  readonly turns = new Turns();

  prepare(sql: string): WriteStatement {
    const asked = async (values: readonly Value[]): Promise<Answered> => {
      this.asked++;
      return this.#asked(bind(sql, values));
    };
    return {
      queue: (...values) => this.#queue(sql, values),
      must: (...values) => this.#queue(mustChange(sql), values),
      // An operation that does not wait for its statement fails alone: an unhandled rejection would end the process.
      run: (...values) => heard((async () => (await asked(values)).changed)()),
      get: (...values) => heard((async () => (await asked(values)).rows[0])()),
      all: (...values) => heard((async () => [...(await asked(values)).rows])()),
    };
  }

  /** Takes a key; the answer comes when the batch is committed, or at once inside an open transaction. */
  claim(claim: Claim, taker: Taker): Answering<Row | undefined> {
    this.claimed++;
    const { take, dependents } = claimValues(claim, taker);
    const statement = bind(claimStatement(claim), [...take, ...dependents.flat()]);
    if (this.ask !== undefined) {
      const ask = this.ask;
      const answer = this.#asked(statement).then(async (won) => {
        if (won.rows.length > 0) return undefined;
        return holderIn((await ask([findHolder(claim, taker)]))[0], claim, taker);
      });
      return answering(answer);
    }
    return new Answering((settle) => {
      this.#claims.push({ at: this.#bound.length, claim, taker, settle });
      this.#bound.push(statement);
    });
  }

  /** A place to which `undo` returns. */
  mark(): { readonly statements: number; readonly claims: number } {
    return { statements: this.#bound.length, claims: this.#claims.length };
  }

  /** Forgets what was gathered since a mark. */
  undo({ statements, claims }: ReturnType<Outgoing['mark']>): void {
    this.#bound.length = statements;
    this.#claims.length = claims;
  }

  /**
   * Hands over what was gathered, and begins again. `settle` answers the claims among it, by what the batch answered: who
   * has a key that another took first is read after the commit, because before it the row of the other was not to be seen.
   */
  take(): { readonly statements: readonly Bound[]; settle(answers: readonly Answered[], ask: Ask): Promise<void> } {
    const [statements, claims] = [this.#bound, this.#claims];
    this.#bound = [];
    this.#claims = [];
    return {
      statements,
      async settle(answers, ask) {
        const has = ({ at }: Claimed): boolean => (answers[at]?.rows.length ?? 0) > 0;
        for (const claimed of claims.filter(has)) claimed.settle(undefined);
        const others = claims.filter((claimed) => !has(claimed));
        if (others.length === 0) return;
        const found = ask(others.map(({ claim, taker }) => findHolder(claim, taker)));
        others.forEach(({ claim, taker, settle }, index) =>
          settle(found.then((rows) => holderIn(rows[index], claim, taker))),
        );
        await found.catch(() => undefined);
      },
    };
  }

  #queue(sql: string, values: readonly Value[]): void {
    if (this.turns.isOver) throw tooLateFor(sql);
    this.#bound.push(bind(sql, values));
  }

  async #asked(statement: Bound): Promise<Answered> {
    if (this.turns.isOver) throw tooLateFor(statement.text);
    if (this.ask === undefined) {
      this.needed = true;
      throw new Error(`a statement needs a transaction that waits for its answer: ${statement.text}`);
    }
    const before = this.take().statements;
    const answers = await this.ask([...before, statement]);
    return answers[before.length] ?? { rows: [], changed: 0, tag: '' };
  }
}

function tooLateFor(text: string): Error {
  return new Error(`a statement comes after its operation was committed or given up: ${text}`);
}

// Division by zero.
const unchangedCode = '22012';

// The statement took too long.
const cancelledCode = '57014';

/** Turns the refusal of a statement that had to change a row, and changed none, into what it means. */
export function meaningOf(error: unknown): unknown {
  if (!(error instanceof Refused)) return error;
  if (error.code === unchangedCode) return changedElsewhere();
  return error.code === cancelledCode ? new PlatformError('storage_unavailable') : error;
}

// A batch that is committed by one flush learns its counts too late to refuse: the statement refuses itself.
function mustChange(sql: string): string {
  return `WITH changed AS (${sql} RETURNING 1 AS one) SELECT 1 / count(*) AS one FROM changed`;
}

function findHolder(claim: Claim, taker: Taker): Bound {
  return bind(
    claimTexts(claim).found,
    claim.key.map((name) => columnOf(taker.row[name])),
  );
}

function holderIn(found: Answered | undefined, claim: Claim, taker: Taker): Row | undefined {
  const row = found?.rows[0];
  if (row === undefined) throw new Error(`a key of ${claim.table} is neither free nor taken`);
  return row[claim.holder] === columnOf(taker.row[claim.holder]) ? undefined : row;
}
