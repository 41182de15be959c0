import { withQuery } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet } from '../../frame/resource.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useKnown, useScope } from '../../frame/session.ts';
import { loaded, Notice, ProblemNote } from '../../parts/notice.ts';
import { Status } from '../../parts/status.ts';
import { Facts } from '../../parts/table.ts';
import { Time } from '../../parts/time.ts';
import { ListingActs, Publish, Reinstate, Suspend } from './acts.ts';
import { ScoreChart } from './chart.ts';
import { Debts, Lifts, Parts } from './explanation.ts';
import { scoreText, Tier } from './words.ts';
import type { History, Listing, Reputation } from '../../frame/wire.ts';

/** Shows the reputation of one Orb: its score, its history, its parts, and how to improve it. */
export function OrbReputation({ params: { orb_id: id = '' } }: ScreenProps) {
  const path = `/reputation/${encodeURIComponent(id)}`;
  const reputation = useGet<Reputation>(path);
  const { value, reload } = reputation;
  const history = useGet<History>(`${path}/history`);
  const listing = useListing(id);
  const maySuspend = useScope('reputation:suspend');
  const mayPublish = useScope('marketplace:publish');
  const done = (): void => {
    reload();
    history.reload();
    listing.reload();
  };
  const suspended = value?.suspension_causes?.includes('operator') === true;
  // All of it at once: what came later would move the rest.
  const whole = listing.settled && (history.value ?? history.problem) !== undefined;
  const shown = whole ? reputation : { ...reputation, value: undefined };
  const acts = html`${mayPublish && listing.known && listing.found === undefined && html`<${Publish} of=${id} onDone=${done} />`}
  ${mayPublish && listing.found && html`<${ListingActs} of=${listing.found} onDone=${done} />`}
  ${maySuspend && shown.value && (suspended ? html`<${Reinstate} of=${id} onDone=${done} />` : html`<${Suspend} of=${id} onDone=${done} />`)}`;
  return html`<${Page}
    title=${id}
    above=${{ href: hrefOf('/reputation'), name: 'Reputation' }}
    about=${listing.found?.description}
    acts=${acts}
  >
    ${loaded(
      shown,
      (of) =>
        html`<${Standing} of=${of} listing=${listing.found} />
          <${Lifts} of=${of} />
          <section class="panel stack">
            <h2>Score over time</h2>
            <${ProblemNote} problem=${history.problem} retry=${history.reload} />
            ${history.value && html`<${ScoreChart} days=${history.value.days} /><${Changes} of=${history.value.events} />`}
          </section>
          ${of.status !== 'unscored' && html`<${Parts} of=${of} />`}
          <${Debts} of=${of} />`,
    )}
  <//>`;
}

// Read it from the list, because reading an unpublished version returns a problem.
function useListing(id: string) {
  const path = useKnown('marketplace:publish') ? withQuery('/marketplace/orbs', { orb_id: id }) : undefined;
  const { value, problem, reload } = useGet<{ readonly orbs: readonly Listing[] }>(path);
  const settled = path === undefined || (value ?? problem) !== undefined;
  return { known: value !== undefined, found: value?.orbs[0], settled, reload };
}

const causes: Readonly<Record<string, string>> = {
  operator: 'an operator suspended it',
  integrity_incident: 'one of its receipts fails verification',
  critical_incident: 'it has an open critical incident',
  namespace_revoked: 'its namespace is revoked',
};

function Standing({ of, listing }: { readonly of: Reputation; readonly listing: Listing | undefined }) {
  const {
    status,
    reputation_score,
    certification_tier,
    suspended_tier,
    suspension_causes = [],
    tier_since,
    evidence,
  } = of;
  const excluded = Object.entries(evidence.excluded).filter(([, count]) => count > 0);
  return html`${
      status === 'suspended' &&
      html`<${Notice} tone="bad">
        <p>
          <strong>Suspended</strong>: ${suspension_causes.map((cause) => causes[cause] ?? cause).join('; ')}.
          ${suspended_tier && suspended_tier !== 'none' && html` It had the tier ${suspended_tier}.`}
        </p>
      <//>`
    }
    <section class="panel standing">
      <div>
        <p class="score">${scoreText(reputation_score)}</p>
        <p class="row">
          <${Tier} of=${status === 'suspended' ? status : certification_tier} />
          ${(status === 'unscored' || status === 'provisional') && html`<span class="muted">${status}</span>`}
        </p>
      </div>
      <${Facts}
        of=${[
          ['Tier since', tier_since],
          [
            'Runs counted',
            `${evidence.runs_counted.toLocaleString('en')} runs of ${evidence.callers ?? 0} callers on ${evidence.active_days ?? 0} days`,
          ],
          ['Period', `${evidence.window_start} to ${evidence.window_end}`],
          [
            'Runs not counted',
            excluded.length > 0 && excluded.map(([why, count]) => `${count} ${why.replaceAll('_', ' ')}`).join(', '),
          ],
          ['Manifest', of.manifest_signed === true ? 'signed by its publisher' : 'not signed'],
          ['Marketplace', html`<${OnMarket} of=${listing} orbId=${of.orb_id} />`],
          ['Certificate', listing && html`<${Certificate} of=${of} />`],
        ]}
      />
    </section>`;
}

function OnMarket({ of, orbId }: { readonly of: Listing | undefined; readonly orbId: string }) {
  if (of === undefined) return html`<span>not published</span>`;
  const tone = { active: 'good', deprecated: 'warn', yanked: 'bad', removed: 'bad' }[of.status];
  return html`<${Status} of=${of.status} tone=${tone} />${' since '}<${Time} at=${of.published_at} />${', '}
    <a href=${`/marketplace/${encodeURIComponent(orbId)}`} target="_blank" rel="noreferrer">open its page</a>
    ${of.status_message && html`<p class="muted">${of.status_message}</p>`}`;
}

// The public page shows it, and verifies it for everybody.
function Certificate({
  of: { orb_id, certification_tier: tier, suspended_tier: held = 'none' },
}: {
  readonly of: Reputation;
}) {
  if (tier === 'none' && held === 'none') return html`<span>none: it is issued with the first tier</span>`;
  const place = `/marketplace/${encodeURIComponent(orb_id)}#certificate`;
  return html`<a href=${place} target="_blank" rel="noreferrer">view and verify it</a>`;
}

function Changes({ of }: { readonly of: History['events'] }) {
  if (of.length === 0) return null;
  return html`<h3>Tier history</h3>
    <ul class="faults">
      ${[...of]
        .reverse()
        .map(
          ({ day, change, from, to, actor, rules }) =>
            html`<li>
              ${day}: ${change}${from !== to && `, ${from} → ${to}`}${actor === 'operator' && ', by an operator'}
              ${actor !== 'operator' && rules.length > 0 && html` <span class="muted small">${rules.join(', ').replaceAll('_', ' ')}</span>`}
            </li>`,
        )}
    </ul>`;
}
