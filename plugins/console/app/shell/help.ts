import { Dialog } from '../parts/dialog.ts';
import { CheckField } from '../parts/field.ts';
import { html } from '../frame/html.ts';
import type { Screen } from '../frame/screen.ts';

/** What the help shows. */
export interface HelpProps {
  readonly tabs: readonly Screen[];
  readonly on: boolean;
  readonly onSwitch: (on: boolean) => void;
  readonly onClose: () => void;
}

/** Lists the keyboard shortcuts, and switches them off for users of speech input. */
export function Help({ tabs, on, onSwitch, onClose }: HelpProps) {
  const jumps = tabs.map(({ tab, title }) => [`g ${tab?.jump ?? ''}`, title] as const);
  const keys = [
    ['Ctrl K, ⌘ K', 'Find screens, actions, names and ids'],
    ['/', 'Go to a name or an id'],
    ['u', 'Switch times between UTC and local'],
    ['?', 'Show this help'],
    ...jumps,
  ] as const;
  return html`<${Dialog} title="Shortcuts and help" onClose=${onClose}>
    <dl class="facts keys-list">
      ${keys.map(
        ([key, does]) =>
          html`<dt><kbd>${key}</kbd></dt>
            <dd>${does}</dd>`,
      )}
    </dl>
    <${CheckField}
      label="Use single-key shortcuts"
      hint="Lasts until you reload the page. Everything also works without shortcuts."
      value=${on}
      onChange=${onSwitch}
    />
    <p class="small"><a href="/docs">Documentation</a> · <a href="/docs/api">API reference</a></p>
  <//>`;
}
