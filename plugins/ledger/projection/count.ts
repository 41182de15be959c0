import type { OutcomeClass, ResolutionLine, RunLine, SwapLine } from '../fact/line.ts';
import { dayNumber, minuteNumber } from '../score/day.ts';
import type { CallerDay } from '../score/totals.ts';
import type { DayCounter, TallySink } from './tallies.ts';

/** 1 counts an entry, −1 removes its count. */
type Sign = 1 | -1;

/** Counts a run on the day it finished. */
export function countRun(line: RunLine, sink: TallySink, sign: Sign = 1): void {
  const day = dayNumber(line.finished_at);
  const { orb_id, outcome_class } = line;
  const counts = outcome_class === 'ok' || outcome_class === 'orb_fault';
  const excluded = excludedAs(line) ?? (counts ? undefined : outcome_class);
  if (excluded !== undefined) {
    sink.day({ orb_id, day, name: excluded, n: sign });
    if (excluded === 'caller_fault' && line.caller_deadline)
      sink.day({ orb_id, day, name: 'caller_deadline', n: sign });
    return;
  }
  const fault = outcome_class === 'ok' ? 0 : sign;
  sink.callerDay({
    ...cell(line, day),
    ok: outcome_class === 'ok' ? sign : 0,
    fault,
    broken: line.outcome === 'invalid_outputs' ? sign : 0,
    fast: line.latency_ok === true ? sign : 0,
    slow: line.latency_ok === false ? sign : 0,
  });
  const minute = minuteNumber(line.finished_at);
  sink.minute({ orb_id, minute, provider: line.provider ?? '', n: sign, fault });
}

/** Counts a resolution on the day of the run: removes one from the superseded class, adds one to the new class. */
export function countResolution(line: ResolutionLine, sink: TallySink, sign: Sign = 1): void {
  if (excludedAs(line) !== undefined) return;
  const day = dayNumber(line.finished_at);
  const { orb_id, outcome_class, supersedes } = line;
  const change = (name: OutcomeClass): number => (Number(outcome_class === name) - Number(supersedes === name)) * sign;
  const [ok, fault] = [change('ok'), change('orb_fault')];
  if (ok !== 0 || fault !== 0) sink.callerDay({ ...cell(line, day), ok, fault, broken: 0, fast: 0, slow: 0 });
  if (ok !== 0) sink.day({ orb_id, day, name: 'resolved_ok', n: ok });
}

/** Counts a swap on its day. */
export function countSwap({ orb_id, at, state }: SwapLine, sink: TallySink): void {
  if (state !== 'failed') sink.day({ orb_id, day: dayNumber(at), name: 'swaps', n: 1 });
}

function cell({ orb_id, caller_ref }: RunLine | ResolutionLine, day: number): CallerDay & { readonly orb_id: string } {
  return { orb_id, day, caller: caller_ref ?? '', ok: 0, fault: 0, broken: 0, fast: 0, slow: 0 };
}

// These runs are excluded in every outcome class.
function excludedAs({ mode, is_self, caller_ref }: RunLine | ResolutionLine): DayCounter | undefined {
  if (mode === 'sandbox') return 'sandbox';
  if (is_self) return 'self';
  return caller_ref === undefined ? 'unattributed' : undefined;
}
