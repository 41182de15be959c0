import { useState } from 'preact/hooks';
import { announce } from '../../frame/announce.ts';
import { html } from '../../frame/html.ts';
import { hrefOf } from '../../frame/router.ts';
import { Code } from '../../parts/code.ts';
import { Notice } from '../../parts/notice.ts';
import { endOf } from './saved.ts';

/** A request that can be saved. */
export interface SaveProps {
  readonly orb_id: string;
  readonly orbiset: string;
  readonly inputs: object;
}

/** Puts a request into the address of the page, from where it can be bookmarked or passed on. */
export function SaveRequest({ orb_id, orbiset, inputs }: SaveProps) {
  const [saved, setSaved] = useState<string>();
  const end = endOf(inputs);
  const href = `${hrefOf('/try', { orb_id, orbiset_id: orbiset })}${end ?? ''}`;
  const save = (): void => {
    history.replaceState(null, '', href);
    setSaved(href);
    announce('The address of this page holds the request');
  };
  return html`<div class="stack">
    <p class="row">
      <button class="button button-quiet" type="button" disabled=${end === undefined} onClick=${save}>
        Save as a link
      </button>
      ${end === undefined && html`<span class="small muted">The inputs are too long for a link.</span>`}
    </p>
    ${
      end !== undefined &&
      saved === href &&
      html`<${Notice} tone="good">
        <p>
          <strong>Bookmark this page.</strong> Its address holds the inputs and fills the form; it starts nothing. The
          inputs stay in your browser, and whoever has the link can read them.
        </p>
        <${Code} text=${location.origin + href} label="link to this request" />
      <//>`
    }
  </div>`;
}
