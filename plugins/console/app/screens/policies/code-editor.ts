import type { Ref } from 'preact';
import { useId } from 'preact/hooks';
import { html } from '../../frame/html.ts';

/** A text of code with the numbers of its lines. */
export interface CodeEditorProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly field?: Ref<HTMLTextAreaElement>;
  /** Lines, from 1, that have a finding. */
  readonly marked?: ReadonlySet<number>;
  readonly readOnly?: boolean;
}

const least = 8;

/** Shows code to be edited. It is as high as its lines, so that numbers and lines cannot part; Tab leaves the field. */
export function CodeEditor({ label, hint, value, onChange, field, marked, readOnly = false }: CodeEditorProps) {
  const id = useId();
  const lines = Math.max(least, value.split('\n').length);
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    <div class="editor">
      <div class="editor-lines" aria-hidden="true">
        ${Array.from({ length: lines }, (_, at) => html`<span class=${marked?.has(at + 1) ? 'editor-marked' : ''}>${at + 1}</span>`)}
      </div>
      <textarea
        ref=${field}
        id=${id}
        class="mono"
        rows=${lines}
        wrap="off"
        spellcheck=${false}
        autocomplete="off"
        autocapitalize="off"
        readonly=${readOnly}
        aria-describedby=${hint ? `${id}-hint` : undefined}
        value=${value}
        onInput=${(event: Event) => onChange((event.currentTarget as HTMLTextAreaElement).value)}
      />
    </div>
  </div>`;
}

/** Puts the cursor on a place of the text, selects its line, and brings it into sight. */
export function showLine(field: HTMLTextAreaElement | null, line: number): void {
  if (field === null) return;
  const lines = field.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  field.focus({ preventScroll: true });
  field.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
  const height = field.clientHeight / lines.length;
  const top = field.getBoundingClientRect().top + scrollY + height * (line - 1);
  scrollTo({ top: Math.max(0, top - innerHeight / 3) });
}
