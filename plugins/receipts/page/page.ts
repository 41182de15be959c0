import { html, type Html } from '../../../kernel/index.ts';
import type { FactKind } from '../format/fact-kind.ts';
import type { WebPage } from '../../pages/contract.ts';
import type { KeySet } from '../format/jwk.ts';

/** The data in the page: keys to trust, and known kinds of facts. */
export interface PageData {
  readonly keys: KeySet;
  readonly facts: readonly FactKind[];
  readonly installation: string;
}

const ownStyle = `
[hidden]{display:none!important}.verify{max-width:56rem}
.drop{border:2px dashed var(--line-strong);text-align:center;padding:2.2rem 1.4rem}.drop .choices{justify-content:center;margin:1.1rem 0}.drop .button{margin:0;font-size:1rem;color:var(--on-accent)}.drop .button-quiet{color:var(--link)}.drop input:focus-visible+label{outline:3px solid var(--link);outline-offset:2px}.paste{text-align:left;margin-top:1rem}
textarea{display:block;width:100%;font:.875rem/1.5 var(--mono);color:var(--text);background:var(--surface);border:1px solid var(--line-strong);border-radius:10px;padding:.6rem .75rem;margin-bottom:.75rem}
.look-up{display:grid;grid-template-columns:1fr 1fr auto;gap:1rem;align-items:end}@media(max-width:40rem){.look-up{grid-template-columns:1fr}.choices .button{width:100%}}
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
 * and no script but its own. Saved as a file it works the same. `looksUp`: the page that gets receipts by their id from
 * this server, which may connect to it and to nothing else.
 */
export function verifyPage(script: string, { facts, installation, keys }: PageData, looksUp: boolean): WebPage {
  return {
    title: 'Verify a receipt',
    description: 'Check a trust receipt in your browser: its signature, its place in the log and its content.',
    section: '/verify',
    style: ownStyle,
    script,
    data: { pinned: keys, facts },
    ...(looksUp ? { connects: true } : { saved: true }),
    cache: 'no-cache',
    main: mainOf(installation, looksUp),
  };
}

function mainOf(installation: string, looksUp: boolean): Html {
  return html`<div class="verify stack">
    <h1>Verify a receipt</h1>
    <p class="lede">
      ${
        looksUp
          ? 'Your browser gets the receipt from this server and checks it. Your key is sent with this one request and not stored.'
          : 'Your browser checks the file. Nothing is uploaded: this page cannot open any connection.'
      }
    </p>
    <noscript
      ><p class="note note-warn">
        Checking needs JavaScript. Without it, use <code>orb receipts verify</code>.
      </p></noscript
    >
    ${looksUp && lookUpForm()} ${dropZone()}
    ${
      looksUp
        ? html`<p class="online"><a href="/verify">Verify without any connection</a></p>`
        : html`<p class="online">
            No file? <a href="/verify?by=id">Look a receipt up by its id</a>, with a key that may read it.
          </p>`
    }
    <div id="results" class="stack" tabindex="-1" role="region" aria-live="polite" aria-label="Result"></div>
    <section class="panel stack">
      <h2>Keys</h2>
      <p id="trust-source">Trusted: the keys that this page was served with.</p>
      <p class="muted small">
        These are the keys of the installation ${installation}, which also served this page. To check without trust in
        this server, drop a key set (<code>jwks.json</code>) or a trust file (tlog-policy) that you got earlier or from
        another place. A key inside a receipt is never trusted.
      </p>
      <details>
        <summary>Show the keys</summary>
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

function dropZone(): Html {
  return html`<section class="panel drop" aria-labelledby="drop-title">
    <h2 id="drop-title">Drop a receipt anywhere on this page</h2>
    <div class="row choices">
      <input id="files" class="hidden" type="file" multiple aria-describedby="kinds" /><label for="files" class="button"
        >Choose a file</label
      >
      <button id="sample" type="button" class="button button-quiet">Try a sample</button>
    </div>
    <p id="kinds" class="muted small">
      A receipt, a DSSE envelope or a Sigstore bundle as JSON. If it contains no log proof, add its
      <code>.tlog-proof</code> file.
    </p>
    <details class="paste">
      <summary>Paste the receipt</summary>
      <label for="pasted">Receipt as JSON</label>
      <textarea id="pasted" rows="6" spellcheck="false" autocomplete="off"></textarea>
      <button id="pasted-verify" type="button" class="button">Verify</button>
    </details>
  </section>`;
}

function lookUpForm(): Html {
  return html`<form id="look-up" class="panel look-up" autocomplete="off">
    <div>
      <label for="receipt-id">Id of the receipt</label>
      <input id="receipt-id" required maxlength="200" spellcheck="false" placeholder="rec_…" />
    </div>
    <div>
      <label for="key">Key that may read it</label>
      <input
        id="key"
        type="password"
        maxlength="512"
        autocomplete="off"
        placeholder="not needed if you are signed in"
      />
    </div>
    <button class="button">Look it up</button>
  </form>`;
}
