import { predicateType } from '../kinds/kind.ts';
import { portableSha256 } from '../log/pure/tree.ts';
import { checkApproval, namedDecisions, type Examined } from './approval.ts';
import { conclude, fail, pass, unchecked, type Check, type Report } from './report.ts';

/** A held run whose decisions do not fit it, with the file that shows it. */
interface Unapproved {
  readonly path: string;
  readonly exit: 1;
  readonly why: string;
}

interface Waiting {
  readonly path: string;
  readonly examined: Examined;
}

const most = 10_000;
const name = 'approval_matches';
const approvalType = predicateType('approval');

/**
 * Compares the held runs of a set of receipts with the decisions on them, whatever order they come in. A decision is kept
 * until its run was seen, and a run until its decisions were; more than 10,000 of either are not compared.
 */
export class DecisionSet {
  readonly #decisions = new Map<string, Examined>();
  readonly #waiting: Waiting[] = [];
  readonly #allowRevoked: boolean;
  #runs = 0;
  #failed = 0;
  #open: string | undefined;

  /** `allowRevoked`: a decision that counts for nothing, because its key was revoked, is no failure. */
  constructor(allowRevoked = false) {
    this.#allowRevoked = allowRevoked;
  }

  /** Takes the next receipt; answers it if it is a run that its decisions do not fit. */
  take(path: string, examined: Examined): readonly Unapproved[] {
    const { report, statement } = examined;
    const named = namedDecisions(statement);
    if (statement?.predicateType === approvalType && this.#decisions.size < most)
      this.#decisions.set(statement.predicate.receipt_id, examined);
    // A run that is refused itself needs no further reason.
    if (named === undefined || report.exit !== 0) return [];
    this.#runs++;
    if (named.every((id) => this.#decisions.has(id))) return this.#judge({ path, examined });
    if (this.#waiting.length < most) this.#waiting.push({ path, examined });
    else this.#open ??= 'more runs than can be compared wait for their decisions';
    return [];
  }

  /** Compares what waited, after the last receipt; answers the runs that their decisions do not fit. */
  end(): readonly Unapproved[] {
    return this.#waiting.splice(0).flatMap((one) => this.#judge(one));
  }

  /** The verdict on all held runs of the set, after `end`: none when no run was held. */
  report(): Report {
    return conclude(this.#runs === 0 ? [] : [this.#verdict()], undefined, { required: [] });
  }

  #verdict(): Check {
    if (this.#failed > 0) return fail(name, `of ${this.#failed} run(s) the decisions do not fit`);
    return this.#open === undefined ? pass(name) : unchecked(name, this.#open);
  }

  #judge({ path, examined }: Waiting): readonly Unapproved[] {
    const named = namedDecisions(examined.statement) ?? [];
    const [check] = checkApproval(examined, this.#decisions, portableSha256);
    const revoked = this.#allowRevoked && named.some((id) => this.#decisions.get(id)?.report.place?.revoked === true);
    for (const id of named) this.#decisions.delete(id);
    if (check === undefined || check.result === 'pass') return [];
    const why = `${name}: ${check.detail ?? ''}`;
    if (check.result === 'fail' && !revoked) {
      this.#failed++;
      return [{ path, exit: 1, why }];
    }
    this.#open ??= `${path}: ${check.detail ?? ''}`;
    return [];
  }
}
