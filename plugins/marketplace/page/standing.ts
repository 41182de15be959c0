import { html, type Html } from '../../../kernel/index.ts';
import type { OrbReputation } from '../../ledger/contract.ts';
import { capital } from './tier.ts';

const causes: Readonly<Record<string, readonly [why: string, next: string]>> = {
  operator: ['The operator suspended it.', 'The operator ends it.'],
  integrity_incident: [
    'One of its receipts fails verification.',
    'The suspension ends when the receipt verifies again. An operator cannot override this.',
  ],
  critical_incident: [
    'An open critical incident affects at least half of its runs.',
    'The suspension ends with the incident, or when its runs use another provider.',
  ],
  namespace_revoked: [
    'The namespace of its publisher was revoked.',
    'The suspension ends when the namespace is granted again.',
  ],
};

/** Says why a version is suspended and what ends it, or why it has no score and what it takes; undefined otherwise. */
export function standing(reputation: OrbReputation): Html | undefined {
  if (reputation.suspended) return suspended(reputation);
  return reputation.status === 'unscored' ? unscored(reputation) : undefined;
}

function suspended({ suspension_causes: codes, suspended_tier: tier, tier_since }: OrbReputation): Html {
  const told = codes.map((code) => causes[code] ?? [`Cause: ${code}.`, '']);
  return html`<div class="note note-bad notice" role="note" aria-label="Suspended">
    <p>
      <strong>Suspended.</strong>
      ${told.length === 0 ? 'It has no tier and is not ranked.' : told.map(([why]) => why).join(' ')}
    </p>
    ${told.length > 0 && html`<p><strong>What next?</strong> ${told.map(([, next]) => next).join(' ')}</p>`}
    ${
      tier !== undefined &&
      tier !== 'none' &&
      html`<p>${capital(tier)}${tier_since !== undefined && `, held since ${tier_since},`} returns then.</p>`
    }
  </div>`;
}

function unscored({ snapshot, usage }: OrbReputation): Html {
  const runs = usage.runs_30d === 1 ? '1 run counts' : `${usage.runs_30d} runs count`;
  return html`<div class="note notice" role="note" aria-label="No score yet">
    <p>
      <strong>No score yet.</strong> ${
        usage.runs_30d > 0
          ? `So far ${runs}, which is too few for a score.`
          : 'No run counts so far: runs of the publisher never do, and runs that failed through a fault of the caller do not either.'
      }
    </p>
    <p>
      <strong>What next?</strong> Callers other than the publisher run it; the next daily snapshot counts their
      runs${snapshot !== undefined && ` (the last was on ${snapshot.day})`}.
    </p>
  </div>`;
}
