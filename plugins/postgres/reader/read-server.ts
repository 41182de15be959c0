import type { StorePlace } from '../../../kernel/engine.ts';

import type { PostgresAddress } from '../connection/address.ts';
import { ServerMark, type Newest } from '../memory/server-mark.ts';
import { SessionLost, type Answered, type Bound } from '../connection/flush.ts';
import { bind, openSession, type Session } from '../connection/session.ts';

/** Which server a process reads from. */
export interface ReadServerOptions {
  /** From no server that follows another one, and is behind it. */
  readonly serving: boolean;
  /** From no server that lacks what this writer has committed, or what its process was told to learn. */
  readonly writer?: StorePlace['writer'];
}

// How often a session in use asks whether its server is the one of the writer.
const checkMs = 1000;

/**
 * The server of a database for a process that reads. Behind one name another one may answer after a failover: the former
 * primary, which now follows, or still has the connections that it had.
 */
export class ReadServer {
  readonly #address: PostgresAddress;
  readonly #serving: boolean;
  readonly #node: string | undefined;
  readonly #mark: ServerMark | undefined;
  #session: Session | undefined;
  #openings = 0n;
  /** What the process was told to learn when the server was checked. */
  #told = 0n;
  #checkedAt: number | undefined;

  constructor(address: PostgresAddress, { serving, writer }: ReadServerOptions) {
    this.#address = address;
    this.#serving = serving;
    this.#node = writer?.node;
    this.#mark = writer && new ServerMark(writer.buffer);
  }

  /** Reads by one statement; opens a session when there is none. Rejects with SessionLost when the server is another one. */
  async read(statement: Bound): Promise<Answered> {
    const openings = this.#mark?.openings ?? 0n;
    if (openings !== this.#openings) this.leave();
    this.#openings = openings;
    const session = (this.#session ??= await openSession(this.#address, 'read'));
    if (!this.#isDue()) return (await session.flush([statement]))[0] as Answered;
    const least = { ...(this.#mark?.newest ?? { epoch: 0, batch: 0 }), told: this.#mark?.told ?? 0n };
    const [found, answer] = await session.flush([placeOf(this.#node), statement]);
    if (!isPrimary(found as Answered, least))
      throw new SessionLost('the server follows another one, or is not the one that this process uses');
    this.#checkedAt = performance.now();
    this.#told = least.told;
    return answer as Answered;
  }

  /** Lets the next read open a session. */
  leave(): void {
    this.end();
    this.#session = undefined;
  }

  /** Ends the session: nothing more is read. */
  end(): void {
    this.#session?.abandon();
    this.#checkedAt = undefined;
  }

  // A server that begins to follow is restarted, so that a session which is open need not ask for that again.
  #isDue(): boolean {
    if (!this.#serving) return false;
    if (this.#checkedAt === undefined) return true;
    if (this.#mark === undefined) return false;
    return this.#mark.told !== this.#told || performance.now() - this.#checkedAt > checkMs;
  }
}

const standby = `SELECT current_setting('in_hot_standby', true) AS standby`;

function placeOf(node: string | undefined): Bound {
  if (node === undefined) return bind(standby, []);
  return bind(
    `${standby}, (SELECT epoch FROM kernel_nodes WHERE node = ?) AS epoch,
       (SELECT max(batch) FROM kernel_batches WHERE node = ?) AS batch,
       (SELECT seq FROM kernel_feed WHERE one = 1) AS seq`,
    [node, node],
  );
}

function isPrimary({ rows: [row] }: Answered, least: Newest & { readonly told: bigint }): boolean {
  const { batch, epoch, seq, standby: follows } = row ?? {};
  if (follows === 'on' || BigInt(Number(seq ?? 0)) < least.told) return false;
  return Number(epoch ?? 0) >= least.epoch && Number(batch ?? 0) >= least.batch;
}
