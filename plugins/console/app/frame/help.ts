import { Dialog } from '../parts/dialog.ts';
import { CheckField } from '../parts/field.ts';
import { html } from './html.ts';
import type { Screen } from './screen.ts';

/** What the help shows. */
export interface HelpProps {
  readonly tabs: readonly Screen[];
  readonly on: boolean;
  readonly onSwitch: (on: boolean) => void;
  readonly onClose: () => void;
}

/** Lists the keys of the keyboard, and switches them off for readers who speak to their machine. */
export function Help({ tabs, on, onSwitch, onClose }: HelpProps) {
  const jumps = tabs.map(({ tab, title }) => [`g ${tab?.jump ?? ''}`, title] as const);
  const keys = [['/', 'Go to an id or an Orb'], ['u', 'Times in UTC or local'], ['?', 'This help'], ...jumps] as const;
  return html`<${Dialog} title="Keys and help" onClose=${onClose}>
    <dl class="facts keys-list">
      ${keys.map(
        ([key, does]) =>
          html`<dt><kbd>${key}</kbd></dt>
            <dd>${does}</dd>`,
      )}
    </dl>
    <${CheckField}
      label="Single keys work"
      hint="Until the page is loaded again; everything can be reached without them."
      value=${on}
      onChange=${onSwitch}
    />
    <p class="small"><a href="/docs">Documentation</a> · <a href="/docs/api">API reference</a></p>
  <//>`;
}
