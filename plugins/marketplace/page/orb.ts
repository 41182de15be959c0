import { html, type Html } from '../../../kernel/index.ts';
import type { TierEvent } from '../../ledger/contract.ts';
import type { Pages, WebPage } from '../../pages/contract.ts';
import type { Entry } from '../listing.ts';
import { nameOf } from '../listing.ts';
import { readmeHtml } from '../readme.ts';
import { shownScore } from '../listing/order.ts';
import { about, incidents, snippets, versions } from './about.ts';
import { anatomy } from './anatomy.ts';
import { calling, type Access } from './calling.ts';
import { certificate, type CertificateView } from './certificate.ts';
import { evidence, history, ladder } from './evidence.ts';
import { standing } from './standing.ts';
import { marketStyle } from './style.ts';
import { scoreRing, tierChip } from './tier.ts';
import type { OrbManifest } from '../../runtime/contract.ts';

/** Data of the page of one version. */
interface OrbPage {
  readonly entry: Entry;
  /** Undefined when this installation no longer has the Orb. */
  readonly manifest: OrbManifest | undefined;
  /** All versions of its name, newest first. */
  readonly versions: readonly Entry[];
  readonly events: readonly TierEvent[];
  readonly certificate: CertificateView;
  readonly access: Access;
}

/** Shows one published version with the evidence behind its score. */
export async function orbPage(pages: Pages, page: OrbPage): Promise<WebPage> {
  const { entry, manifest, access } = page;
  const { publicUrl } = access;
  const { listing, reputation } = entry;
  const { orb_id, title, description, readme, status } = listing;
  if (status === 'removed') return removedPage(entry);
  return {
    title: `${title}: ${nameOf(listing)}`,
    description,
    section: '/marketplace',
    canonical: `${publicUrl}/marketplace/${encodeURIComponent(orb_id)}`,
    style: marketStyle,
    script: pages.copyScript,
    // The result of a verification is valid only now and only for this visitor.
    cache: page.certificate.checks === undefined ? 'public, max-age=60' : 'no-store',
    main: html`${crumbs(orb_id)}
      <div class="orb-head">
        <div>
          <h1>${title}</h1>
          <p class="id">${orb_id}</p>
          <p class="lede">${description}</p>
          <div class="row">
            ${tierChip(reputation)}${reputation.status === 'provisional' && html`<span class="chip">Provisional: too few callers or runs</span>`}${
              reputation.status === 'unscored' && html`<span class="chip">Unscored</span>`
            }${!entry.signed && html`<span class="chip">Manifest not signed</span>`}
          </div>
        </div>
        ${scoreRing(shownScore(entry), reputation.suspended)}
      </div>
      ${notice(entry)} ${standing(reputation)}
      <div class="orb-grid">${calling(pages, entry, manifest, access)} ${about(entry, manifest)}</div>
      <div class="orb-grid">
        <div class="stack">
          ${anatomy(reputation, manifest?.latency_objective_ms)} ${evidence(reputation)}
          ${
            readme !== '' &&
            html`<section class="panel readme" aria-labelledby="readme">
              <h2 id="readme">Readme</h2>
              ${await readmeHtml(pages, readme)}
            </section>`
          }
          ${history(page.events)}
        </div>
        <div class="stack">
          ${certificate(page.certificate, orb_id)} ${ladder(reputation)} ${versions(page.versions, orb_id)}
          ${incidents(entry)} ${snippets(orb_id, publicUrl)}
        </div>
      </div>`,
  };
}

function crumbs(here: string): Html {
  return html`<nav class="crumbs" aria-label="Breadcrumb">
    <ol>
      <li><a href="/marketplace">Marketplace</a></li>
      <li aria-current="page">${here}</li>
    </ol>
  </nav>`;
}

function notice({ listing: { status, status_message, replacement } }: Entry): Html | undefined {
  if (status === 'active') return undefined;
  const lead = status === 'yanked' ? 'Yanked permanently.' : 'Deprecated.';
  return html`<p class="note ${status === 'yanked' ? 'note-bad' : 'note-warn'} notice">
    <strong>${lead}</strong> ${status_message}${
      replacement !== undefined &&
      html` Use <a href="/marketplace/${encodeURIComponent(replacement)}">${replacement}</a> instead.`
    }
  </p>`;
}

function removedPage({ listing: { orb_id, status_message } }: Entry): WebPage {
  return {
    status: 410,
    title: 'Removed',
    description: 'This version was removed from the marketplace.',
    section: '/marketplace',
    style: marketStyle,
    main: html`${crumbs(orb_id)}
      <h1>Removed</h1>
      <p class="lede">The operator removed ${orb_id}. Its receipts and its history stay.</p>
      <p class="note note-bad notice">${status_message}</p>
      <p class="notice"><a class="button button-quiet" href="/marketplace">Go to the marketplace</a></p>`,
  };
}

/** Makes the page for a version that does not exist. */
export function missingPage(orbId: string): WebPage {
  return {
    status: 404,
    title: 'Not published',
    description: 'The marketplace has no such Orb.',
    section: '/marketplace',
    style: marketStyle,
    main: html`${crumbs('Not published')}
      <h1>Not published</h1>
      <p class="lede">
        The marketplace has no Orb <span class="mono">${orbId}</span>. Check its name and version, or search for it.
      </p>
      <p class="notice"><a class="button" href="/marketplace">Go to the marketplace</a></p>`,
  };
}
