import { html } from '../../frame/html.ts';
import { Page } from '../../frame/page.ts';
import { useGet, type Reading } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useScope } from '../../frame/session.ts';
import { SelectField, TextField } from '../../parts/field.ts';
import { Empty, Loading, ProblemNote } from '../../parts/notice.ts';
import { TryForm } from './form.ts';
import type { Manifest } from './inputs.ts';
import type { ListedOrb } from '../../frame/wire.ts';

const about = 'Run an Orb from the browser, first as a test. The same request for your program is shown next to it.';

/** Chooses an Orb and an Orbiset, which are part of the address, and shows the form of the Orb. */
export function TryIt({ query }: ScreenProps) {
  const reads = useScope('orbs:read');
  const orbs = useGet<{ readonly orbs: readonly ListedOrb[] }>(reads ? '/orbs?limit=100' : undefined);
  const sets = useGet<{ readonly orbisets: readonly { readonly id: string }[] }>(
    reads ? '/orbisets?limit=100' : undefined,
  );
  const known = orbs.value?.orbs ?? [];
  const ids = (sets.value?.orbisets ?? []).map(({ id }) => id);
  const orb =
    query['orb_id'] ?? (known.find(({ orb_id }) => orb_id.startsWith('demo.echo@')) ?? known[0])?.orb_id ?? '';
  const orbiset = query['orbiset_id'] ?? (ids.includes('default') ? 'default' : (ids[0] ?? 'default'));
  const choose = (orb_id: string, orbiset_id: string): void =>
    go(hrefOf('/try', { orb_id, orbiset_id }), { replace: true });
  return html`<${Page} title="Try it" about=${about}>
    <${ProblemNote} problem=${orbs.problem ?? sets.problem} retry=${orbs.reload} />
    <div class="choose">
      <${Choice}
        label="Orb"
        value=${orb}
        options=${loads(orbs) ? soFar(orb) : reads ? namesOf(known, orb) : []}
        onChange=${(value: string) => choose(value, orbiset)}
      />
      <${Choice}
        label="Orbiset"
        value=${orbiset}
        options=${loads(sets) ? soFar(orbiset) : ids.map((id) => [id, id])}
        onChange=${(value: string) => choose(orb, value)}
      />
    </div>
    ${
      orbs.value !== undefined && known.length === 0
        ? html`<${Empty} title="No Orbs yet"
            ><p>Add an Orb with <code>orb orbs put</code>.</p><//
          >`
        : html`<${Chosen} id=${orb} orbiset=${orbiset} reads=${reads} key=${orb} />`
    }
  <//>`;
}

const loads = ({ value, problem, loading }: Reading<unknown>): boolean =>
  loading && value === undefined && problem === undefined;

// The field stays the same one, with its focus, when the list arrives.
const soFar = (value: string) => [[value, value === '' ? 'Loading …' : value]] as const;

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}

// A key that may not list them knows their names.
function Choice(props: ChoiceProps) {
  return props.options.length > 0
    ? html`<${SelectField} ...${props} />`
    : html`<${TextField} ...${props} options=${undefined} code />`;
}

// One that is not among the first hundred can still be in the address.
function namesOf(known: readonly ListedOrb[], chosen: string): readonly (readonly [string, string])[] {
  const names = known.map(({ orb_id, title }) => [orb_id, `${title} · ${orb_id}`] as const);
  return chosen === '' || known.some(({ orb_id }) => orb_id === chosen) ? names : [[chosen, chosen], ...names];
}

function Chosen({ id, orbiset, reads }: Readonly<Record<'id' | 'orbiset', string>> & { readonly reads: boolean }) {
  const { value, problem, reload } = useGet<{ readonly manifest: Manifest }>(
    reads && id !== '' ? `/orbs/${encodeURIComponent(id)}` : undefined,
  );
  // The user of a key that cannot read Orbs enters the inputs as JSON.
  const unread = {
    orb_id: id,
    title: id,
    description: 'Your key cannot read the schema of this Orb.',
    effect: 'irreversible',
    timeout_ms: 60_000,
    inputs_schema: {},
  };
  const manifest = value?.manifest ?? (reads || id === '' ? undefined : unread);
  if (problem !== undefined) return html`<${ProblemNote} problem=${problem} retry=${reload} />`;
  return manifest === undefined ? html`<${Loading} />` : html`<${TryForm} manifest=${manifest} orbiset=${orbiset} />`;
}
