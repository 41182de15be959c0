import { setTimeout as delay } from 'node:timers/promises';
import { compareClocks, type Comparison } from '../memory/database-clock.ts';
import type { LeaseEvents } from './lease.ts';
import { databaseTime } from './members.ts';
import type { Session } from '../connection/session.ts';
import { skewOf } from '../memory/skew.ts';

const againMs = 1000;

/** What waiting for a clock needs. */
export interface AgreementOptions extends Pick<LeaseEvents, 'say'>, Comparison {
  /** Called when it agrees after it did not. */
  waited(): void;
}

/**
 * Reads the clock of the database, and waits while that of the machine is so far from it that the process might write
 * nothing: a machine sets its clock some seconds after it has started.
 */
export async function clockAgreed(session: Session, options: AgreementOptions): Promise<void> {
  const { say, waited } = options;
  for (let told = false; ; await delay(againMs)) {
    const ahead = (await compareClocks(session, databaseTime, options)) ?? 0;
    const isMute = skewOf(ahead) === 'mute';
    if (isMute !== told) say({ kind: 'skewed', skew: isMute ? 'mute' : 'none', aheadMs: ahead });
    if (told && !isMute) waited();
    told = isMute;
    if (!isMute) return;
  }
}
