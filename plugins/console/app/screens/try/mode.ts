import { useId } from 'preact/hooks';
import { html } from '../../frame/html.ts';

/** How the choice is shown. */
export interface ModeChoiceProps {
  readonly sandbox: boolean;
  /** The key can do nothing live. */
  readonly testOnly: boolean;
  readonly onChange: (sandbox: boolean) => void;
}

/** Chooses between a test, which comes first, and a live run. */
export function ModeChoice({ sandbox, testOnly, onChange }: ModeChoiceProps) {
  const name = useId();
  const choice = (value: boolean, title: string, hint: string) =>
    html`<label class="choice">
      <input
        type="radio"
        name=${name}
        checked=${sandbox === value}
        disabled=${testOnly && !value}
        onChange=${() => onChange(value)}
      />
      <span><strong>${title}</strong><br /><span class="small muted">${hint}</span></span>
    </label>`;
  return html`<fieldset class="choices">
    <legend>Mode</legend>
    ${choice(true, 'Test', 'Uses sandbox providers only. No data leaves the server.')}
    ${choice(false, 'Live', testOnly ? 'Your key is a test key.' : 'The active provider performs the real action.')}
  </fieldset>`;
}
