import { html, type Html } from '../../../kernel/index.ts';
import {
  reachableTiers,
  tiers,
  type OrbReputation,
  type Profile,
  type TierEvent,
  type UnmetGate,
} from '../../ledger/contract.ts';
import { points } from './anatomy.ts';
import { capital, columns } from './tier.ts';

const profiles: Readonly<Record<Profile, string>> = {
  'single-org': 'Callers are principals of one organisation; runs of the publisher do not count.',
  'multi-tenant': 'Callers are tenants; runs of the tenant that owns the namespace do not count.',
};

/** Shows the evidence for a score: number of runs, callers and days. */
export function evidence({ basis, profile, snapshot, orb_id, scoring_policy }: OrbReputation): Html {
  const path = `/reputation/${encodeURIComponent(orb_id)}`;
  return html`<section class="panel" aria-labelledby="evidence">
    <h2 id="evidence">Evidence</h2>
    <p class="muted">
      ${profiles[profile]}${basis !== undefined && ` ${basis.window_start} to ${basis.window_end}, newer runs weigh more.`}
    </p>
    ${
      basis === undefined || basis.runs_counted === 0
        ? html`<p>No runs counted yet.</p>`
        : html`<dl class="tiles">
            ${tiles(basis).map(
              ([term, value]) =>
                html`<div>
                  <dt>${term}</dt>
                  <dd>${value}</dd>
                </div>`,
            )}
          </dl>`
    }
    <p class="small muted links">
      ${snapshot !== undefined && html`As of the attested snapshot of ${snapshot.day}. `}<a href="${path}">Profile</a> ·
      <a href="${path}/history">History</a> · <a href="/scoring/${scoring_policy.id}">Scoring document</a>
    </p>
  </section>`;
}

function tiles(basis: NonNullable<OrbReputation['basis']>): readonly (readonly [string, string | number])[] {
  return [
    ['Runs counted', basis.runs_counted],
    ['Effective runs', points(basis.effective_runs_milli)],
    ['Callers', basis.callers],
    ['Effective callers', points(basis.effective_callers_milli)],
    ['Active days', basis.active_days],
    ['Last successful run', basis.last_run_day ?? '–'],
  ];
}

/** Shows the tiers as steps: the tiers reached, and the next tier with what is still missing. */
export function ladder({ tier_rank, tier_since, next_tier, suspended, suspended_tier }: OrbReputation): Html {
  // Nothing is next while it is suspended: first what suspends it must end.
  if (suspended)
    return html`<section class="panel" aria-labelledby="ladder">
      <h2 id="ladder">Tier ladder</h2>
      <p>
        No tier while it is
        suspended.${suspended_tier !== undefined && suspended_tier !== 'none' && ` ${capital(suspended_tier)} returns when the suspension ends.`}
      </p>
    </section>`;
  const steps = tiers.slice(1, Math.max(reachableTiers.length, tier_rank + 1));
  return html`<section class="panel" aria-labelledby="ladder">
    <h2 id="ladder">Tier ladder</h2>
    <ol class="ladder">
      ${steps.map((tier, index) => {
        const held = tier_rank > index;
        const next = next_tier?.tier === tier;
        const kind = held ? 'held' : next ? 'next' : 'later';
        const word = held
          ? tier_rank === index + 1 && tier_since !== undefined
            ? `held since ${tier_since}`
            : 'passed'
          : next
            ? 'next'
            : 'not yet';
        return html`<li class="${kind}">
          <strong>${capital(tier)}</strong> <span class="muted small">${word}</span>${
            next &&
            next_tier.unmet.length > 0 &&
            html`<ul>
              ${next_tier.unmet.map(unmet)}
            </ul>`
          }
        </li>`;
      })}
    </ol>
  </section>`;
}

function unmet({ detail, needed, present }: UnmetGate): Html {
  const numbers = /^\d/.test(needed) ? ` (needs ${needed}, has ${present})` : '';
  return html`<li>${capital(detail)}${numbers}</li>`;
}

const changes: Readonly<Record<TierEvent['change'], string>> = {
  promoted: 'Promoted',
  demoted: 'Demoted',
  suspended: 'Suspended',
  restored: 'Restored',
  lost: 'Tier lost',
  ended: 'Ended',
};

/** Shows how the tier changed, newest first. */
export function history(events: readonly TierEvent[]): Html {
  const newest = [...events].reverse().slice(0, 20);
  return html`<section class="panel" aria-labelledby="history">
    <h2 id="history">Tier history</h2>
    ${
      newest.length === 0
        ? html`<p class="muted">No tier changes yet.</p>`
        : html`<div class="scroll" tabindex="0" role="region" aria-label="Tier history">
            <table>
              ${columns('Day', 'Change', 'From', 'To', 'By')}
              <tbody>
                ${newest.map(
                  ({ day, change, from, to, actor }) =>
                    html`<tr>
                      <th scope="row" class="nums">${day}</th>
                      <td>${changes[change]}</td>
                      <td>${from}</td>
                      <td>${to}</td>
                      <td>${actor === 'auto' ? 'rules' : 'operator'}</td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
  </section>`;
}
