import { every, timestamp, type Ids, type PluginScope } from '../../../../kernel/index.ts';
import type { Auditor, AuditFinding, TransparencyLog } from '../../../receipts/contract.ts';
import { ownEvent, type AlertEvent } from '../model/event.ts';
import type { Ask } from '../model/request.ts';
import type { IncidentReads } from '../store/reading.ts';

/** Options of the integrity incidents. */
interface IntegrityOptions extends Pick<PluginScope<unknown, never>, 'clock' | 'log'> {
  readonly auditor: Auditor;
  readonly verifies: TransparencyLog['verifies'];
  readonly ask: Ask;
  readonly reads: Pick<IncidentReads, 'incidents'>;
}

/**
 * Opens an incident for each receipt that does not verify, and closes it when the receipt verifies; it cannot be closed
 * in any other way.
 */
export class Integrity {
  readonly #options: IntegrityOptions;
  readonly #pending = new Map<string, AuditFinding>();
  #running: Promise<void> = Promise.resolve();
  #stopListening: () => void = () => undefined;
  #stopTimer: () => void = () => undefined;

  constructor(options: IntegrityOptions) {
    this.#options = options;
  }

  /** Takes the auditor's current findings and subscribes to new ones. `open`: receipts of open integrity incidents. */
  async start(open: readonly { readonly receipt_id: string; readonly orb_id?: string }[]): Promise<void> {
    const { auditor, verifies, clock } = this.#options;
    this.#stopListening = auditor.onFinding((finding) => this.#take(finding));
    const failing = auditor.failing();
    const fails = new Set(failing.map(({ receipt_id }) => receipt_id));
    for (const finding of failing) this.#pending.set(finding.receipt_id, finding);
    // The receipt may have been repaired while this plugin was stopped; only a full verification proves it.
    for (const known of open)
      if (!fails.has(known.receipt_id) && (await verifies(known.receipt_id))) {
        const at = timestamp(clock.now());
        this.#pending.set(known.receipt_id, { ...known, state: 'cleared', verdicts: [], at });
      }
    const failed = (err: unknown): void =>
      this.#options.log.warn({ err }, 'integrity incidents could not be opened or closed');
    this.#stopTimer = every(retryMs, () => this.#run(), failed);
    this.#run();
  }

  /** Resolves when what is known is recorded, or could not be for now. */
  settled(): Promise<void> {
    return this.#running;
  }

  /** Stops after the current work. */
  async stop(): Promise<void> {
    this.#stopListening();
    this.#stopTimer();
    await this.#running;
  }

  #take(finding: AuditFinding): void {
    this.#pending.set(finding.receipt_id, finding);
    this.#run();
  }

  #run(): void {
    if (this.#pending.size > 0) this.#running = this.#running.then(() => this.#settle());
  }

  async #settle(): Promise<void> {
    for (const [receiptId, finding] of this.#pending) {
      try {
        if (await isNews(finding, this.#options.reads)) await this.#options.ask({ kind: 'finding', finding });
        if (this.#pending.get(receiptId) === finding) this.#pending.delete(receiptId);
      } catch (error) {
        this.#options.log.warn({ err: error, receipt_id: receiptId }, 'an integrity incident could not be recorded');
        return;
      }
    }
  }
}

const retryMs = 5000;

/** Makes the event of a finding; undefined when its incident is open or closed already. */
export async function findingEvent(
  finding: AuditFinding,
  { ids, reads }: { readonly ids: Ids; readonly reads: Pick<IncidentReads, 'incidents'> },
): Promise<AlertEvent | undefined> {
  if (!(await isNews(finding, reads))) return undefined;
  const { at, orb_id, receipt_id, state, verdicts } = finding;
  const key = keyOf(finding);
  return ownEvent(ids, {
    ...{ fingerprint: key, key, occurred_ms: Date.parse(at), receipt_id },
    state: state === 'failing' ? 'firing' : 'resolved',
    severity: 'critical',
    scope: orb_id === undefined ? [] : [{ kind: 'orb', id: orb_id }],
    rule: 'auditor',
    vendor: 'auditor',
    title: `receipt ${receipt_id} does not verify${verdicts.length === 0 ? '' : `: ${verdicts.join(', ')}`}`,
  });
}

async function isNews(finding: AuditFinding, reads: Pick<IncidentReads, 'incidents'>): Promise<boolean> {
  const known = await reads.incidents(keyOf(finding));
  const isOpen = known.some(({ facts, retracted }) => !retracted && facts.state !== 'resolved');
  return isOpen !== (finding.state === 'failing');
}

function keyOf({ receipt_id }: AuditFinding): string {
  return `receipt:${receipt_id}`;
}
