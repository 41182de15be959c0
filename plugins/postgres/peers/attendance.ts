import type { MessagePort } from 'node:worker_threads';
import { given, type Attendance, type AttendOptions } from '../../../kernel/engine.ts';
import { DatabaseClock } from '../memory/database-clock.ts';
import { LeaseEnd } from '../memory/lease-end.ts';
import { ServerMark } from '../memory/server-mark.ts';
import { Crowd } from './gathering.ts';
import { LimitedWaits } from './limited-waits.ts';
import { linkPeers } from './link.ts';

/** What the thread that serves shares with the writer thread. */
export interface Shares {
  /** Where the process speaks with its membership; absent: it has the store for itself. */
  readonly peers?: MessagePort;
  /** Where the writer notes how long the lease of the process holds. */
  readonly leaseEnd: SharedArrayBuffer;
  /** Where it notes how far it has come. */
  readonly serverMark: SharedArrayBuffer;
  /** Where it notes what the clock of the database shows. */
  readonly clock: SharedArrayBuffer;
}

/** Makes the part of the thread that serves. */
export function attend(options: AttendOptions): Attendance {
  const [leaseEnd, clock, serverMark] = [new LeaseEnd(), new DatabaseClock(), new ServerMark().buffer];
  const { port, ...peering } = linkPeers(options);
  const shares: Shares = { leaseEnd: leaseEnd.buffer, clock: clock.buffer, serverMark, ...given({ peers: port }) };
  return {
    ...{ ...peering, shares, transfer: port === undefined ? [] : [port] },
    gathering: (send) => new Crowd(send),
    waits: new LimitedWaits(),
    writer: { node: options.node.name, buffer: serverMark },
    isOver: () => leaseEnd.isOver(),
    isMute: () => clock.skew(Date.now()) === 'mute',
    now: () => clock.now(),
  };
}
