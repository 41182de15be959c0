import { useState } from 'preact/hooks';
import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { Empty, loaded, Notice } from '../../parts/notice.ts';
import { useAdapters, type Adapters } from './adapter.ts';
import { ChangeResult } from './result.ts';
import { ProviderForm } from './form.ts';
import { PickAdapter } from './pick.ts';
import type { ProviderChange } from '../../frame/wire.ts';

const above = { href: hrefOf('/providers'), name: 'Providers' };

/** Adds a provider to the store: an adapter, then its settings, then what came of it. */
export function NewProvider({ query }: ScreenProps) {
  const reading = useAdapters();
  const [made, setMade] = useState<ProviderChange>();
  const wanted = query['adapter'];
  if (made !== undefined) return html`<${Made} of=${made} />`;
  const about = 'A provider is an adapter with a name and settings. It is kept in the store, for all nodes.';
  return html`<${Page}
    title=${wanted === undefined ? 'Add a provider' : `Add a provider: ${wanted}`}
    about=${about}
    above=${above}
  >
    ${loaded(reading, (of) => (wanted === undefined ? html`<${PickAdapter} adapters=${of.adapters} />` : html`<${Chosen} key=${wanted} name=${wanted} adapters=${of} onDone=${setMade} />`))}
  <//>`;
}

interface ChosenProps {
  readonly name: string;
  readonly adapters: Adapters;
  readonly onDone: (made: ProviderChange) => void;
}

function Chosen({ name, adapters, onDone }: ChosenProps) {
  const adapter = adapters.adapters.find((one) => one.name === name);
  const others = html`<p><a href=${hrefOf('/providers/new')}>Choose another adapter</a></p>`;
  if (adapter === undefined) return html`<${Empty} title=${`There is no adapter ${name}`}>${others}<//>`;
  if (adapter.refused !== undefined)
    return html`<${Notice} tone="warn"
      ><p>${adapter.refused}.</p>
      ${others}<//
    >`;
  return html`<p>${adapter.about}</p>
    ${others}
    <${ProviderForm} adapter=${adapter} adapters=${adapters} onDone=${onDone} />`;
}

function Made({ of }: { readonly of: ProviderChange }) {
  const { name } = of.provider;
  const acts = html`<a class="button" href=${hrefOf(`/providers/stored/${name}`)}>Open ${name}</a>`;
  return html`<${Page}
    title=${`${name} is in the store`}
    about="Send a test, then swap an Orb to it."
    above=${above}
    acts=${acts}
  >
    <${ChangeResult} of=${of} />
  <//>`;
}
