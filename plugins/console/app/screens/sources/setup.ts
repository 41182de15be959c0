import { html } from '../../frame/html.ts';
import { Code } from '../../parts/code.ts';
import { Secrets } from '../../parts/secrets.ts';
import type { Setup, ShownOnce } from '../../frame/wire.ts';

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
  const secrets = [
    ['Address', url],
    ['Secret', secret],
  ];
  return html`<${Secrets} of=${secrets}>
    ${
      setup &&
      html`<h2>At the vendor</h2>
        <${SetupSteps} of=${withoutKnown(setup, url, secret)} />`
    }
  <//>`;
}

// Do not repeat the values that are shown above.
function withoutKnown(setup: Setup, url: string | undefined, secret: string | undefined): Setup {
  return { ...setup, snippets: setup.snippets.filter(({ text }) => text !== url && text !== secret) };
}
