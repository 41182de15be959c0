import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { hrefOf } from '../../frame/router.ts';
import { TextField } from '../../parts/field.ts';
import { Empty } from '../../parts/notice.ts';
import type { Adapter } from './adapter.ts';

/** Lists the adapters by capability, each as a link to its form, or with the reason why it has none. */
export function PickAdapter({ adapters }: { readonly adapters: readonly Adapter[] }) {
  const [words, setWords] = useState('');
  const wanted = words.toLowerCase().split(/\s+/);
  const found = adapters.filter(({ about = '', name }) =>
    wanted.every((word) => `${name} ${about}`.toLowerCase().includes(word)),
  );
  const capabilities = [...new Set(found.map(({ capability }) => capability))];
  return html`<section class="stack" aria-label="Adapters">
    <${TextField}
      label="Find an adapter"
      hint="For example: e-mail, Slack, models."
      type="search"
      value=${words}
      onChange=${setWords}
      required=${false}
      plain
    />
    ${found.length === 0 && html`<${Empty} title=${`No adapter for “${words}”`}><p>Try other words.</p><//>`}
    ${capabilities.map(
      (capability) =>
        html`<section class="panel stack" key=${capability} aria-labelledby=${`capability-${capability}`}>
          <h2 id=${`capability-${capability}`}>${capability}</h2>
          <ul class="adapters">
            ${found.filter((one) => one.capability === capability).map((one) => html`<${Row} key=${one.name} of=${one} />`)}
          </ul>
        </section>`,
    )}
  </section>`;
}

function Row({ of: { about, name, refused, sandbox } }: { readonly of: Adapter }) {
  return html`<li>
    ${
      refused === undefined
        ? html`<a href=${hrefOf('/providers/new', { adapter: name })}>${name}</a>`
        : html`<span>${name}</span> <span class="chip">only in platform.json</span>`
    }
    ${sandbox && html` <span class="chip">sandbox</span>`} ${about && html`<p class="muted">${about}</p>`}
    ${refused && html`<p class="small">${refused}.</p>`}
  </li>`;
}
