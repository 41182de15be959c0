import type { ComponentChildren } from 'preact';
import type { Reading } from '../../frame/resource.ts';
import { html } from '../../frame/html.ts';
import { useGet } from '../../frame/resource.ts';
import { go, hrefOf } from '../../frame/router.ts';
import { useScope } from '../../frame/session.ts';
import { SelectField } from '../../parts/field.ts';
import { Empty, loaded } from '../../parts/notice.ts';

/** Writes the path of a door in an Orbiset. */
export const pathOf = (orbiset: string, path: string): string =>
  `${orbiset === 'default' ? '' : `/orbisets/${encodeURIComponent(orbiset)}`}/v1${path}`;

/** The choice of an Orbiset, which is part of the address of a screen. */
export interface OrbisetFieldProps {
  readonly screen: string;
  readonly value: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Lets the user choose an Orbiset, if there are several that the key may list. */
export function OrbisetField({ screen, value, query }: OrbisetFieldProps) {
  const reads = useScope('orbs:read');
  const { value: found } = useGet<{ readonly orbisets: readonly { readonly id: string }[] }>(
    reads ? '/orbisets?limit=100' : undefined,
  );
  const ids = found?.orbisets.map(({ id }) => id) ?? [];
  if (ids.length < 2) return null;
  const all = ids.includes(value) ? ids : [value, ...ids];
  const choose = (orbiset_id: string): void => go(hrefOf(screen, { ...query, orbiset_id }), { replace: true });
  return html`<div class="filters">
    <${SelectField} label="Orbiset" value=${value} options=${all.map((id) => [id, id])} onChange=${choose} />
  </div>`;
}

/** Shows models that were read; says so where the plugin that serves them is off. */
export function loadedModels<T>(reading: Reading<T>, show: (value: T) => ComponentChildren) {
  return reading.problem?.code === 'route_not_found'
    ? html`<${Empty} title="This screen is not available"
        ><p>The plugin <code>models</code> is not loaded.</p><//
      >`
    : loaded(reading, show);
}
