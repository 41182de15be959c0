import { html } from '../../frame/html.ts';
import { Code } from '../../parts/code.ts';
import { Notice } from '../../parts/notice.ts';
import type { Setup, ShownOnce } from './source.ts';

/** Shows what to do at a vendor, and what to paste there. */
export function SetupSteps({ of: { steps, snippets } }: { readonly of: Setup }) {
  return html`<div class="stack">
    <ol class="numbered">
      ${steps.map((step) => html`<li>${step}</li>`)}
    </ol>
    ${snippets.map(
      ({ title, text }) =>
        html`<div>
          <p class="small muted">${title}</p>
          <${Code} text=${text} label=${title.toLowerCase()} />
        </div>`,
    )}
  </div>`;
}

/** Shows an address and a secret this one time. */
export function Once({ of: { url, secret, setup } }: { readonly of: ShownOnce }) {
  return html`<div class="stack">
    <${Notice} tone="warn">
      <p><strong>Copy this now.</strong> It is shown this once, and never again.</p>
    <//>
    ${
      url !== undefined &&
      html`<div>
        <p class="small muted">Address</p>
        <${Code} text=${url} label="address" />
      </div>`
    }
    ${
      secret !== undefined &&
      html`<div>
        <p class="small muted">Secret</p>
        <${Code} text=${secret} label="secret" />
      </div>`
    }
    ${
      setup &&
      html`<h2>At the vendor</h2>
        <${SetupSteps} of=${withoutKnown(setup, url, secret)} />`
    }
  </div>`;
}

// What stands above already is not said again.
function withoutKnown(setup: Setup, url: string | undefined, secret: string | undefined): Setup {
  return { ...setup, snippets: setup.snippets.filter(({ text }) => text !== url && text !== secret) };
}
