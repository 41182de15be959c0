import { html } from '../frame/html.ts';
import { useGet } from '../frame/resource.ts';
import { useScope } from '../frame/session.ts';
import { SelectField, TextField } from './field.ts';

/** The Orbisets that the reader may choose from. */
export interface OrbisetChoice {
  /** Ids; empty: the key may not list them. */
  readonly ids: readonly string[];
  /** The chosen one, else the first one; undefined: they are still loading. */
  readonly id: string | undefined;
}

/** Finds the Orbiset that a screen shows: the chosen one, else `default`, else the first one. */
export function useOrbiset(chosen: string | undefined): OrbisetChoice {
  const reads = useScope('orbs:read');
  const { value, problem } = useGet<{ readonly orbisets: readonly { readonly id: string }[] }>(
    reads ? '/orbisets?limit=100' : undefined,
  );
  const ids = (value?.orbisets ?? []).map(({ id }) => id);
  const loads = reads && value === undefined && problem === undefined;
  const first = ids.length === 0 || ids.includes('default') ? 'default' : ids[0];
  return { ids, id: chosen ?? (loads ? undefined : first) };
}

/** A field for an Orbiset. */
export interface OrbisetFieldProps {
  readonly of: OrbisetChoice;
  readonly onChange: (id: string) => void;
}

/** Shows the choice of an Orbiset; the reader of a key that may not list them enters an id. */
export function OrbisetField({ of: { ids, id = '' }, onChange }: OrbisetFieldProps) {
  // One that is not among the first hundred can still be in the address.
  const known = ids.includes(id) || id === '' ? ids : [id, ...ids];
  return ids.length > 0
    ? html`<${SelectField}
        label="Orbiset"
        value=${id}
        onChange=${onChange}
        options=${known.map((one) => [one, one])}
      />`
    : html`<${TextField} label="Orbiset" value=${id} onChange=${onChange} code />`;
}
