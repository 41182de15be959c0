import { createHash } from 'node:crypto';
import { html, pageStyle, trusted, type FactKind, type Html } from '../../../kernel/index.ts';
import type { KeySet } from '../format/jwk.ts';

/** A page with the policy it needs as a response header. */
export interface VerifyPage {
  readonly body: string;
  readonly policy: string;
}

/** The data in the page: keys to trust, and known kinds of facts. */
export interface PageData {
  readonly keys: KeySet;
  readonly facts: readonly FactKind[];
  readonly installation: string;
}

const ownStyle = `
[hidden]{display:none!important}.wrap{max-width:56rem}
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
 * Writes the page: one self-contained document. Its policy allows no connection, picture or frame, and no script but
 * its own. Saved as a file it works the same.
 */
export function pageOf(script: string, { facts, installation, keys }: PageData): VerifyPage {
  if (/<\/script|<!--/i.test(script)) throw new Error('the script would end its own element');
  const style = pageStyle + ownStyle;
  const inner = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  // Inside a script element only `<` could end the element.
  const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
  // Style and script are written together with their elements: the policy contains the hash of exactly this text.
  const body = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${inner}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>Verify a receipt</title>
        <link rel="icon" href="data:," />
        ${trusted(`<style>${style}</style>`)}
      </head>
      <body>
        ${mainOf(installation)} ${trusted(`<script type="application/json" id="pinned">${inScript(keys)}</script>`)}
        ${trusted(`<script type="application/json" id="facts">${inScript(facts)}</script>`)}
        ${trusted(`<script>${script}</script>`)}
      </body>
    </html> `;
  return { body: body.toString(), policy: `${inner}; frame-ancestors 'none'` };
}

function mainOf(installation: string): Html {
  return html`<main>
    <div class="wrap stack">
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
          They are those of the installation ${installation}, which also served this page. To be independent of it, drop
          a key set (<code>jwks.json</code>) or trust file (tlog-policy) that you got earlier or from elsewhere; a key
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
    </div>
  </main>`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
