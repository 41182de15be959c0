import type { Trouble } from '../../contract.ts';
import { ownEvent } from '../model/event.ts';
import type { TimedTrouble } from '../model/request.ts';
import { newest } from '../store/reading.ts';
import type { AskScope, IncidentScope } from '../store/scope.ts';
import { createReports } from './reports.ts';

/** Opens an incident for each trouble that a plugin reports, and closes it; each is one of its own and affects no status. */
export function recordTroubles({ ask, clock, ids, log, reads }: AskScope) {
  const reports = createReports<TimedTrouble>(
    async (trouble) => (await troubleEvent(trouble, { ids, reads })) && ask({ kind: 'trouble', trouble }),
    (err) => log.warn({ err }, 'the server could not record a problem that a plugin reported; it tries again'),
  );
  const report = (trouble: Trouble): void => reports.note(trouble.name, { ...trouble, occurred_ms: clock.now() });
  return { ...reports, report };
}

/** Makes the event of a trouble; undefined when it is recorded already, as by another node that saw the same. */
export async function troubleEvent(trouble: TimedTrouble, { ids, reads }: Pick<IncidentScope, 'ids' | 'reads'>) {
  const { name, occurred_ms, state, title } = trouble;
  const last = newest(await reads.events(name));
  if ((last?.state ?? 'resolved') === state) return undefined;
  // After a clock that was set back the end must not lie before the beginning.
  const at = Math.max(occurred_ms, (last?.occurred_ms ?? 0) + 1);
  const said = { fingerprint: name, key: name, occurred_ms: at, state, severity: 'info', rule: 'reported' } as const;
  return ownEvent(ids, { ...said, scope: [{ kind: 'component', id: 'runtime' }], vendor: 'platform', title });
}
