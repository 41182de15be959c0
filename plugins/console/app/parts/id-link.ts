import { html } from '../frame/html.ts';
import { hrefOf } from '../frame/router.ts';
import { Id } from './table.ts';

// Where the screens of single things are, by the prefix of their ids.
const places: Readonly<Record<string, string>> = {
  ...{ run: 'runs', rec: 'receipts', dec: 'decisions', apr: 'approvals', inc: 'incidents', dlv: 'deliveries' },
  ...{ src: 'sources', key: 'keys' },
};

/** Says where the screen of an id is; undefined: it has none, or the text is no id. */
export function placeOf(text: string): string | undefined {
  const place = places[/^([a-z]{3})_[0-9A-Z]{26}$/.exec(text)?.[1] ?? ''];
  return place === undefined ? undefined : hrefOf(`/${place}/${text}`);
}

/** Shows an id as a link to its screen, with a button that copies it. */
export const IdLink = ({ id }: { readonly id: string }) => html`<${Id} id=${id} href=${placeOf(id)} />`;
