import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Call } from '../../frame/api.ts';
import { html } from '../../frame/html.ts';
import type { ApiProblem } from '../../frame/problem.ts';
import { hrefOf } from '../../frame/router.ts';
import type { Diagnostic } from '../../frame/wire.ts';
import { ActDialog } from '../../parts/act.ts';
import { isRecord } from '../../parts/form.ts';
import { CodeEditor, showLine } from '../policies/code-editor.ts';
import { Diagnostics } from '../policies/diagnostics.ts';
import { Diff } from '../policies/diff.ts';
import { diffOf } from './diff-text.ts';
import { lineOf, readJson, type JsonText } from './json-text.ts';

/** A manifest that is edited as JSON. */
export interface ManifestEditorProps {
  /** Names the text among those that are not saved yet. */
  readonly name: string;
  /** As it is stored; undefined: it is new. */
  readonly before?: object | undefined;
  /** What a new one begins with. */
  readonly start?: object;
  /** Names the manifest and makes the call that puts it; undefined: the value lacks its id. */
  readonly putting: (value: object) => { readonly id: string; readonly call: Call } | undefined;
  /** The member that holds the id. */
  readonly idMember: string;
  /** What putting it does. */
  readonly says: ComponentChildren;
  /** The screen that Cancel leads to. */
  readonly back: string;
  readonly onDone: (value: object) => void;
  /** The stored one is not the one that was read. */
  readonly onOvertaken: () => void;
}

const textOf = (value: object | undefined): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

// Texts by their names, so that they survive a visit to another screen.
const unsaved = new Map<string, string>();

function useText({ name, before, start }: ManifestEditorProps) {
  const stored = textOf(before ?? start);
  const [text, show] = useState(unsaved.get(name) ?? stored);
  const changed = text !== stored;
  // Kept at once: the reader may leave before the next frame is drawn.
  const setText = (next: string): void => {
    unsaved.set(name, next);
    show(next);
  };
  useEffect(() => {
    if (!changed) {
      unsaved.delete(name);
      return undefined;
    }
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [name, changed]);
  return { text, setText, changed, stored };
}

/** Edits a manifest: finds its faults by line, shows what would change, and puts it. */
export function ManifestEditor(props: ManifestEditorProps) {
  const { text, setText, changed, stored } = useText(props);
  const [refused, setRefused] = useState<ApiProblem>();
  const field = useRef<HTMLTextAreaElement>(null);
  const read = readJson(text);
  const type = (next: string): void => {
    setText(next);
    setRefused(undefined);
  };
  const found = findingsOf(read, refused);
  const fail = (problem: ApiProblem): void => {
    setRefused(problem);
    if (problem.code === 'precondition_failed') props.onOvertaken();
  };
  return html`<div class="stack">
    <${Diagnostics}
      of=${found}
      placeOf=${({ line = 1 }: Diagnostic) =>
        () =>
          showLine(field.current, line)}
    />
    <${CodeEditor}
      label="Manifest"
      hint="JSON. The server checks it when you save it; a manifest with a fault changes nothing."
      value=${text}
      onChange=${type}
      field=${field}
      marked=${new Set(found.map(({ line }) => line))}
    />
    <div class="row">
      <${Put} ...${props} read=${read} onProblem=${fail} onSaved=${() => unsaved.delete(props.name)} />
      <a class="button button-quiet" href=${hrefOf(props.back)}>Cancel</a>
      ${changed && html`<button class="link" type="button" onClick=${() => type(stored)}>Discard my changes</button>`}
      <span class="small muted">${changed && 'Not saved yet'}</span>
    </div>
  </div>`;
}

function findingsOf(read: JsonText, refused: ApiProblem | undefined): readonly Diagnostic[] {
  const finding = { severity: 'error', file: 'manifest' } as const;
  if (read.fault !== undefined) {
    const { line, column, detail } = read.fault;
    return [{ ...finding, line, column, message: detail, code: 'malformed_json' }];
  }
  return (refused?.errors ?? []).map(({ pointer, detail }) => ({
    ...{ ...finding, line: lineOf(read.lines, pointer), column: 1 },
    ...{ message: `${pointer} ${detail}`, code: refused?.code ?? '' },
  }));
}

interface Closing {
  readonly onClose: () => void;
}

interface PutProps extends ManifestEditorProps {
  readonly read: JsonText;
  readonly onProblem: (problem: ApiProblem) => void;
  readonly onSaved: () => void;
}

function Put(props: PutProps) {
  const [open, setOpen] = useState(false);
  return html`<button class="button" type="button" onClick=${() => setOpen(true)}>Review and save</button>
    ${open && html`<${PutDialog} ...${props} onClose=${() => setOpen(false)} />`}`;
}

function PutDialog({ read, before, putting, idMember, says, onDone, onSaved, onProblem, onClose }: PutProps & Closing) {
  const value = read.fault === undefined && isRecord(read.value) ? read.value : undefined;
  const put = value && putting(value);
  const missing =
    value === undefined ? 'The text is not one JSON object.' : put === undefined ? `Enter the ${idMember}.` : undefined;
  const change = before === undefined ? 'added' : 'changed';
  const diff = diffOf(textOf(before), textOf(value));
  const files = diff === '' ? [] : [{ path: put?.id ?? 'manifest', change, diff }];
  const done = (): void => {
    onSaved();
    onDone(value ?? {});
  };
  return html`<${ActDialog}
    label="Save"
    title=${before === undefined ? 'Add it' : 'Change it'}
    says=${html`${says}<${Diff} files=${files} same="Nothing changes" />`}
    call=${put?.call ?? { path: '/' }}
    missing=${missing}
    onDone=${done}
    onProblem=${onProblem}
    onClose=${onClose}
    done="The manifest is saved"
  />`;
}
