import { useEffect, useState } from 'preact/hooks';
import { useEvents } from '../../frame/events.ts';
import { html } from '../../frame/html.ts';
import type { ApiProblem } from '../../frame/problem.ts';
import { useKnown, useScope } from '../../frame/session.ts';
import { ifMatch, useTagged, type Tagged, type TaggedReading } from '../../frame/tagged.ts';
import type { ProviderOrder } from '../../frame/wire.ts';
import { Act } from '../../parts/act.ts';
import { SelectField } from '../../parts/field.ts';
import { IdLink } from '../../parts/id-link.ts';
import { loaded } from '../../parts/notice.ts';
import { Facts } from '../../parts/table.ts';
import { providerEvents } from './provider.ts';

const pathOf = (orb: string): string => `/providers/${encodeURIComponent(orb)}/order`;

/** Reads the order of an Orb's providers, and again when they change; nothing without the plugin that keeps orders. */
export function useOrder(orb: string): TaggedReading<ProviderOrder> | undefined {
  const known = useKnown('providers:manage');
  const reading = useTagged<ProviderOrder>(known ? pathOf(orb) : undefined);
  useEvents(providerEvents, reading.reload, reading.reload);
  return known ? reading : undefined;
}

interface OrderProps {
  readonly reading: TaggedReading<ProviderOrder>;
  readonly onDone: () => void;
}

/** Shows where the order of an Orb's providers comes from, with the acts that change it. */
export function OrderOf({ reading, onDone }: OrderProps) {
  const { reload } = reading;
  const manages = useScope('providers:manage');
  const done = (): void => {
    reload();
    onDone();
  };
  return html`<section class="panel stack">
    <h2>Order of the standbys</h2>
    ${loaded(
      reading,
      ({ value, tag }) =>
        html`<${OrderFacts} of=${value} /> ${
            manages &&
            value.source !== 'file' &&
            html`<div class="row">
              <${Change} of=${{ value, tag }} reading=${reading} onDone=${done} />
              ${value.source === 'store' && html`<${UseDefault} of=${{ value, tag }} onDone=${done} />`}
            </div>`
          }`,
    )}
  </section>`;
}

const sources: Readonly<Record<ProviderOrder['source'], string>> = {
  file: 'bindings in platform.json; change them there, then reload the configuration',
  store: 'set in the console or by API',
  default: 'all providers with the capability: those of platform.json, then those of the store, the oldest first',
};

function OrderFacts({ of: { active_provider, others, receipt_id, source, standbys } }: { readonly of: ProviderOrder }) {
  return html`<${Facts}
    of=${[
      ['Tried first', active_provider ?? 'none'],
      ['Then', standbys.join(', ') || 'no standby'],
      ['Not used', others.length > 0 && others.join(', ')],
      ['Order from', sources[source]],
      ['Receipt', receipt_id && html`<${IdLink} id=${receipt_id} />`],
    ]}
  />`;
}

interface ChangeProps {
  readonly of: Tagged<ProviderOrder>;
  readonly reading: Pick<TaggedReading<ProviderOrder>, 'reload'>;
  readonly onDone: () => void;
}

/** What was chosen, with the ETag of the order that it began with. */
type Draft = Tagged<readonly string[]>;

function Change({ of: { value, tag }, reading, onDone }: ChangeProps) {
  const { orb_id, others, standbys } = value;
  const [draft, setDraft] = useState<Draft>();
  const names = [...standbys, ...others];
  if (names.length === 0) return null;
  const chosen = draft?.value ?? names.map((_, at) => standbys[at] ?? '');
  const wanted = chosen.filter((name) => name !== '');
  const conflict = ({ code }: ApiProblem): void => {
    if (code !== 'precondition_failed') return;
    setDraft(undefined);
    reading.reload();
  };
  return html`<${Act}
    label="Change the order"
    title="Change the order of the standbys"
    says=${html`<p>
      When the active provider cannot serve a run, the server tries the standbys in this order. The active provider
      stays; a swap changes it. A provider that is left out is not tried. The change leaves a receipt.
    </p>`}
    call=${{
      ...{ method: 'PUT', path: pathOf(orb_id), body: { standbys: wanted } },
      ...{ headers: ifMatch(draft === undefined ? tag : draft.tag), key: true },
    }}
    missing=${wanted.join() === standbys.join() ? 'Choose another order.' : undefined}
    onDone=${onDone}
    onProblem=${conflict}
    done="The order was changed"
  >
    <${Places}
      names=${names}
      chosen=${chosen}
      onChange=${(next: readonly string[]) => setDraft({ value: next, tag: draft === undefined ? tag : draft.tag })}
      onLeave=${() => setDraft(undefined)}
    />
  <//>`;
}

interface PlacesProps {
  readonly names: readonly string[];
  /** By place; empty: none. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly onLeave: () => void;
}

// A pick list for each place: unlike rows that move, it keeps the focus.
function Places({ names, chosen, onChange, onLeave }: PlacesProps) {
  useEffect(() => onLeave, []);
  const set = (place: number) => (name: string) => {
    const next = [...chosen];
    const before = name === '' ? -1 : next.indexOf(name);
    if (before !== -1) next[before] = chosen[place] ?? '';
    next[place] = name;
    onChange(next);
  };
  return names.map(
    (_, at) =>
      html`<${SelectField}
        key=${at}
        label=${`Standby ${at + 1}`}
        value=${chosen[at] ?? ''}
        onChange=${set(at)}
        options=${[['', 'none'], ...names.map((name) => [name, name])]}
        required=${false}
      />`,
  );
}

function UseDefault({ of: { tag, value }, onDone }: Omit<ChangeProps, 'reading'>) {
  return html`<${Act}
    label="Use the default order"
    says=${html`<p>
      All providers with the capability stand by again: those of platform.json, then those of the store, the oldest
      first. If no swap chose the active provider, the first of them becomes active. The change leaves a receipt.
    </p>`}
    call=${{ method: 'DELETE', path: pathOf(value.orb_id), headers: ifMatch(tag), key: true }}
    onDone=${onDone}
    done="The default order is in use"
  />`;
}
