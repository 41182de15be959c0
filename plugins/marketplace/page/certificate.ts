import { html, type Html } from '../../../kernel/index.ts';
import type { CertificateReport, CertificateSummary } from '../../ledger/contract.ts';
import { capital } from './tier.ts';

/** The newest certificate of a version for its page; absent: the version was never certified. */
export interface CertificateView {
  readonly certificate?: CertificateSummary | undefined;
  /** Result of a verification made for this request; absent: none was requested. */
  readonly checks?: CertificateReport['checks'] | undefined;
}

const notes = { valid: 'note-good', expired: 'note-warn', suspended: 'note-bad', revoked: 'note-bad' } as const;

/** Shows the certificate, with days and no finer times, and how to verify it. */
export function certificate({ certificate: found, checks }: CertificateView, orbId: string): Html {
  const id = encodeURIComponent(orbId);
  if (found === undefined)
    return html`<section class="panel" aria-labelledby="certificate">
      <h2 id="certificate">Certificate</h2>
      <p class="muted">
        No certificate yet. It is issued with the first tier; the tier ladder shows the missing conditions.
      </p>
    </section>`;
  return html`<section class="panel" aria-labelledby="certificate">
    <h2 id="certificate">Certificate</h2>
    <p class="note ${notes[found.status]}">
      <strong>${capital(found.tier)}, ${found.status}.</strong> A W3C Verifiable Credential, signed by this
      installation.
    </p>
    <dl class="facts notice">
      <dt>Issued</dt>
      <dd>${found.issued_at.slice(0, 10)}</dd>
      <dt>Expires</dt>
      <dd>${found.expires_at.slice(0, 10)}</dd>
      <dt>Id</dt>
      <dd class="mono">${found.certificate_id}</dd>
    </dl>
    <form class="row notice" action="/marketplace/${id}#certificate" method="get">
      <button class="button" type="submit" name="verify" value="1">Verify</button>
      <a class="button button-quiet" href="/reputation/${id}/certificate?format=vc">Download</a>
    </form>
    ${checks !== undefined && verdict(checks)}
    <details class="notice">
      <summary>Verify it yourself</summary>
      <pre tabindex="0" aria-label="Commands"><code>orb certificate get ${orbId} &gt; cert.json
orb certificate verify cert.json --issuer &lt;did&gt;</code></pre>
    </details>
  </section>`;
}

const signs = { pass: '✓', fail: '✗', not_checked: '–' } as const;
const results = { pass: 'passed', fail: 'failed', not_checked: 'not checked' } as const;

function verdict(checks: CertificateReport['checks']): Html {
  const good = checks.every(({ result }) => result === 'pass');
  return html`<div role="status">
      <p class="note ${good ? 'note-good' : 'note-bad'} notice">
        <strong>${good ? 'Verified.' : 'Not verified.'}</strong>
        ${good ? 'Every check passed.' : 'Not every check passed.'}
      </p>
    </div>
    <ul class="checks">
      ${checks.map(
        ({ name, result, detail }) =>
          html`<li>
            <span class="mark-${result}" aria-hidden="true">${signs[result]}</span
            ><span
              >${capital(name.replaceAll('_', ' '))}:
              ${results[result]}${detail !== undefined && html`<br /><span class="muted small">${detail}</span>`}</span
            >
          </li>`,
      )}
    </ul>`;
}
