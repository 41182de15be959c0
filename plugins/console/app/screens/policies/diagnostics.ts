import { html } from '../../frame/html.ts';
import { Status } from '../../parts/status.ts';
import type { Diagnostic } from '../../frame/wire.ts';

/** Findings in policy files. */
export interface DiagnosticsProps {
  readonly of: readonly Diagnostic[];
  /** Shows the place of a finding in the editor; undefined: its file is not shown there. */
  readonly placeOf?: (found: Diagnostic) => (() => void) | undefined;
}

/** Lists findings by file and line; a place that the editor shows is a button that leads there. */
export function Diagnostics({ of, placeOf = () => undefined }: DiagnosticsProps) {
  if (of.length === 0) return null;
  return html`<ul class="diagnostics">
    ${of.map((found) => {
      const { severity, message, code, file, line = 1, column = 1, hint } = found;
      const place = `${file ?? 'policies'}:${line}:${column}`;
      const show = placeOf(found);
      return html`<li>
        <${Status} of=${severity} tone=${severity === 'error' ? 'bad' : 'warn'} />
        <div>
          ${show === undefined ? html`<code>${place}</code>` : html`<button class="link mono" type="button" onClick=${show}>${place}</button>`}
          <p>${message} <span class="muted small">${code}</span></p>
          ${hint && html`<p class="hint-text small muted">${hint}</p>`}
        </div>
      </li>`;
    })}
  </ul>`;
}
