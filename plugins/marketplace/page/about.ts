import { html, type Html } from '../../../kernel/index.ts';
import type { Entry } from '../listing.ts';
import { shownScore } from '../listing/order.ts';
import { isSafe } from '../readme.ts';
import { columns, tierChip } from './tier.ts';
import type { OrbManifest } from '../../runtime/contract.ts';

const effects: Readonly<Record<OrbManifest['effect'], string>> = {
  none: 'none: safe to repeat',
  idempotent: 'idempotent: repeating changes nothing more',
  reversible: 'reversible',
  irreversible: 'irreversible',
};

/** Shows the facts of a version: its publisher, and its function according to its manifest. */
export function about({ listing, signed }: Entry, manifest: OrbManifest | undefined): Html {
  const { namespace, version, category, tags, license, homepage, published_at, manifest_digest, orb_id } = listing;
  const row = (term: string, value: Html | string | undefined): Html | undefined =>
    value === undefined
      ? undefined
      : html`<dt>${term}</dt>
          <dd>${value}</dd>`;
  return html`<section class="panel" aria-labelledby="about">
    <h2 id="about">About</h2>
    <dl class="facts">
      ${row('Version', version)}
      ${row('Namespace', html`${namespace} <span class="muted">· granted by the operator</span>`)}
      ${row('Manifest', signed ? 'Signed by the namespace' : 'Not signed')}
      ${row('Published', published_at.slice(0, 10))} ${row('License', license)} ${row('Category', category)}
      ${tags.length > 0 && row('Tags', tags.join(', '))}
      ${row('Homepage', homepage !== undefined && isSafe(homepage) ? html`<a href="${homepage}" rel="nofollow noopener ugc">${homepage}</a>` : undefined)}
      ${row('Effect', manifest && effects[manifest.effect])} ${row('Action', manifest?.action_class)}
      ${row('Data', manifest?.data_classes?.join(', '))}
      ${row('Latency objective', manifest?.latency_objective_ms === undefined ? undefined : `${manifest.latency_objective_ms} ms`)}
      ${row('Digest', html`<a class="mono" href="/reputation/${encodeURIComponent(orb_id)}/manifest">${manifest_digest.slice(0, 19)}…</a>`)}
    </dl>
  </section>`;
}

/** Shows all versions of a name, newest first; the one shown is marked. */
export function versions(entries: readonly Entry[], shown: string): Html {
  return html`<section class="panel" aria-labelledby="versions">
    <h2 id="versions">Versions</h2>
    <table>
      ${columns('Version', 'Tier', html`Score`)}
      <tbody>
        ${entries.map(
          ({ listing: { orb_id, version, status }, reputation }) =>
            html`<tr>
              <th scope="row">
                ${
                  orb_id === shown
                    ? html`<span aria-current="page">${version}</span>`
                    : html`<a href="/marketplace/${encodeURIComponent(orb_id)}">${version}</a>`
                }${status !== 'active' && html` <span class="muted small">${status}</span>`}
              </th>
              <td>
                ${
                  reputation.tier === 'none' && !reputation.suspended
                    ? html`<span class="muted">none</span>`
                    : tierChip(reputation)
                }
              </td>
              <td class="num">${shownScore({ reputation }) ?? '–'}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

/** Shows the badge and the texts that embed it; each links to this page, since a picture alone proves nothing. */
export function snippets(orbId: string, publicUrl: string): Html {
  const id = encodeURIComponent(orbId);
  const page = `${publicUrl}/marketplace/${id}`;
  const badge = `${publicUrl}/reputation/${id}/badge`;
  const texts = {
    Markdown: `[![Reputation of ${orbId}](${badge})](${page})`,
    HTML: `<a href="${page}"><img src="${badge}" alt="Reputation of ${orbId}"></a>`,
    reStructuredText: `.. image:: ${badge}\n   :alt: Reputation of ${orbId}\n   :target: ${page}`,
  };
  return html`<section class="panel" aria-labelledby="badge">
    <h2 id="badge">Badge</h2>
    <p class="muted">Shows the current tier and score, and links to the evidence.</p>
    <p><img class="badge" src="/reputation/${id}/badge" height="20" alt="Reputation badge of ${orbId}" /></p>
    <details>
      <summary>Embed the badge</summary>
      <div class="snippets">
        ${Object.entries(texts).map(
          ([name, text]) =>
            html`<div>
              <h3>${name}</h3>
              <pre tabindex="0" aria-label="${name}"><code>${text}</code></pre>
            </div>`,
        )}
      </div>
    </details>
  </section>`;
}

/** Shows how many incidents touch the score, without their names. */
export function incidents({ reputation: { incidents: found } }: Entry): Html {
  const text =
    found.open > 0
      ? `${found.open} open ${found.open === 1 ? 'incident affects' : 'incidents affect'} the score now.`
      : found.debt_milli > 0
        ? 'No open incidents. Past incidents still lower the score a little; their effect decreases with time.'
        : 'No incidents affect the score.';
  return html`<section class="panel" aria-labelledby="incidents">
    <h2 id="incidents">Incidents</h2>
    <p>${text}</p>
  </section>`;
}
