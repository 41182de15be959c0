import { html, webPage, type FactKind, type Html, type Reply } from '../../../kernel/index.ts';
import type { KeySet } from '../format/jwk.ts';

/** The data in the page: keys to trust, and known kinds of facts. */
export interface PageData {
  readonly keys: KeySet;
  readonly facts: readonly FactKind[];
  readonly installation: string;
}

const ownStyle = `
[hidden]{display:none!important}.verify{max-width:56rem}
.drop{border:2px dashed var(--line-strong);text-align:center;padding:2.2rem 1.4rem}.drop label{font-size:1.05rem;color:var(--text)}.drop input{display:block;max-width:26rem;margin:1rem auto;padding:.5rem}
.result{border-left:6px solid var(--line-strong)}.result-good{border-left-color:var(--good)}.result-warn{border-left-color:var(--warn)}.result-bad{border-left-color:var(--bad)}
.overall{font-size:1.5rem;overflow-wrap:anywhere}.result-good .overall{color:var(--good)}.result-warn .overall{color:var(--warn)}.result-bad .overall{color:var(--bad)}
.result>.file{overflow-wrap:anywhere;margin-bottom:-.9rem}.result>h2+p{margin-top:.35rem}.result>h3+*{margin-top:.6rem}
.limits{padding-left:1.2rem;margin-top:.5rem}.checks{list-style:none}
.check{display:grid;grid-template-columns:6.75rem 1fr;gap:.1rem .75rem;padding:.55rem 0;border-bottom:1px solid var(--line)}.check:last-child{border-bottom:0}
.mark{font-weight:650;color:var(--muted)}.check-pass .mark{color:var(--good)}.check-fail .mark{color:var(--bad)}.check-not_checked .mark{color:var(--warn)}
.what code{color:var(--muted);white-space:nowrap}.detail{grid-column:2;color:var(--muted);font-size:.9rem;overflow-wrap:anywhere}
#results:focus{outline:0}.keys{padding-left:1.2rem;font-size:.875rem;overflow-wrap:anywhere}
@media(max-width:40rem){.check{grid-template-columns:1fr}.detail{grid-column:1}.what code{display:block;margin-top:.15rem;width:max-content;max-width:100%;white-space:normal}}
`.replaceAll('\n', '');

/**
 * Makes the page: one self-contained document. Its policy allows no connection, frame or form, no picture from elsewhere
 * and no script but its own. Saved as a file it works the same.
 */
export function verifyPage(script: string, { facts, installation, keys }: PageData): Reply {
  return webPage({
    title: 'Verify a receipt',
    description: 'Check a trust receipt in your browser: its signature, its place in the log and its content.',
    section: '/verify',
    style: ownStyle,
    script,
    data: { pinned: keys, facts },
    saved: true,
    cache: 'no-cache',
    main: mainOf(installation),
  });
}

function mainOf(installation: string): Html {
  return html`<div class="verify stack">
    <h1>Verify a receipt</h1>
    <p class="lede">
      The file is checked here, in your browser. Nothing is uploaded: this page may not open any connection.
    </p>
    <noscript
      ><p class="note note-warn">
        Checking needs JavaScript. Without it, use <code>orb receipts verify</code>.
      </p></noscript
    >
    <section class="panel drop">
      <label for="files">Drop a receipt anywhere on this page, or choose a file</label>
      <input id="files" type="file" multiple aria-describedby="kinds" />
      <p id="kinds" class="muted small">
        A receipt, a DSSE envelope or a Sigstore bundle as JSON; with it, if it has none, its
        <code>.tlog-proof</code>.
      </p>
    </section>
    <div id="results" class="stack" tabindex="-1" role="region" aria-live="polite" aria-label="Result"></div>
    <section class="panel stack">
      <h2>Keys</h2>
      <p id="trust-source">Trusted: the keys that this page was served with.</p>
      <p class="muted small">
        They are those of the installation ${installation}, which also served this page. To be independent of it, drop a
        key set (<code>jwks.json</code>) or trust file (tlog-policy) that you got earlier or from elsewhere; a key
        inside a receipt is never trusted.
      </p>
      <details>
        <summary>Show them</summary>
        <ul id="trust-list" class="keys"></ul>
      </details>
      <p>
        <button id="own-keys" type="button" class="button button-quiet" hidden>
          Trust the keys of this page again
        </button>
      </p>
    </section>
  </div>`;
}
