import { useLayoutEffect, useState } from 'preact/hooks';
import { announce } from '../../frame/announce.ts';
import { api, apiWithTag, type Call } from '../../frame/api.ts';
import { asProblem, type ApiProblem } from '../../frame/problem.ts';
import type { Diagnostic, PolicyDetail } from '../../frame/wire.ts';

/** What is typed of a policy. */
export interface Typed {
  readonly source: string;
  readonly tests: string;
  readonly message: string;
}

/** What is edited. */
export interface EditingProps {
  readonly id: string;
  /** As it is stored; undefined: it is new. */
  readonly policy?: PolicyDetail | undefined;
  /** The ETag of the draft; undefined: there is none. */
  readonly tag?: string | undefined;
  /** What a new policy begins with. */
  readonly start?: string;
  /** Reads what is stored again, or goes to where it is read. */
  readonly reread: () => void | Promise<void>;
}

/** A policy that is being edited. */
export interface Editing {
  readonly typed: Typed;
  /** What is typed differs from what is stored. */
  readonly changed: boolean;
  /** The stored draft has changed since the user began to type. */
  readonly overtaken: boolean;
  readonly state: 'idle' | 'busy' | 'saved';
  readonly problem: ApiProblem | undefined;
  readonly found: readonly Diagnostic[];
  /** The call that saves it. */
  readonly call: Call;
  type(part: Partial<Typed>): void;
  /** Replaces the typed text with the stored one. */
  undo(): void;
  /** Keeps the typed text: saving it replaces the stored one. */
  keep(): void;
  save(): Promise<void>;
  format(): Promise<void>;
}

/** What is typed, and the tag of the draft that it is based on; undefined: there was none. */
interface Edit {
  readonly typed: Typed;
  readonly tag: string | undefined;
}

// Unsaved text by policy, so that it survives a visit to another screen.
const unsaved = new Map<string, Edit>();

function storedOf({ policy, start = '' }: EditingProps): Typed {
  const { waiting, source = start, tests_source = '' } = policy ?? {};
  if (waiting === undefined) return { source, tests: tests_source, message: '' };
  return { source: waiting.source, tests: waiting.tests ?? tests_source, message: waiting.message ?? '' };
}

/** Keeps what is typed of a policy, checks and saves it. */
export function useEditing(props: EditingProps): Editing {
  const { id, tag, reread } = props;
  const stored = storedOf(props);
  const [edit, setEdit] = useState<Edit>(unsaved.get(id) ?? { typed: stored, tag });
  const [shown, setShown] = useState<Pick<Editing, 'state' | 'problem' | 'found'>>(nothing);
  const { typed } = edit;
  const changed = (['source', 'tests', 'message'] as const).some((name) => typed[name] !== stored[name]);
  useLeaving(id, changed ? edit : undefined);
  const call = saving(id, changed ? edit : { typed, tag });
  const change = (fit: Fit): void => setEdit((last) => ({ ...last, typed: { ...last.typed, ...fit(last.typed) } }));
  const restart = (from: Edit): void => {
    setEdit(from);
    setShown(nothing);
  };
  return {
    ...{ ...shown, typed, changed, overtaken: changed && edit.tag !== tag, call },
    type(part) {
      change(() => part);
      setShown((last) => ({ ...last, state: 'idle' }));
    },
    undo: () => restart({ typed: stored, tag }),
    keep: () => restart({ typed, tag }),
    async save() {
      setShown((last) => ({ ...last, state: 'busy', problem: undefined }));
      try {
        const { value, tag: saved } = await apiWithTag<{ readonly diagnostics: readonly Diagnostic[] }>(call);
        unsaved.delete(id);
        await reread();
        setEdit((last) => ({ ...last, tag: saved }));
        setShown({ state: 'saved', problem: undefined, found: value.diagnostics });
        announce('The draft is saved. It is not active.');
      } catch (thrown) {
        const problem = asProblem(thrown);
        setShown({ state: 'idle', problem, found: problem.diagnostics as readonly Diagnostic[] });
        if (problem.code === 'precondition_failed') await reread();
      }
    },
    async format() {
      try {
        const { fit, found } = await formatted(id, typed);
        setShown({ state: 'idle', problem: undefined, found });
        change(fit);
        announce(found.length === 0 ? 'Formatted' : 'Not formatted: the policy has errors');
      } catch (thrown) {
        setShown({ state: 'idle', problem: asProblem(thrown), found: [] });
      }
    },
  };
}

const nothing = { state: 'idle', problem: undefined, found: [] } as const;

// A draft that another user changed is not replaced, because its tag no longer matches.
function saving(id: string, { typed: { source, tests, message }, tag }: Edit): Call {
  return {
    method: 'PUT',
    path: `/policies/${id}`,
    headers: tag === undefined ? { 'if-none-match': '*' } : { 'if-match': tag },
    body: { source, ...(tests === '' ? {} : { tests }), ...(message === '' ? {} : { message }) },
  };
}

// Keeps unsaved text when the user opens another screen, and warns before the window closes.
function useLeaving(id: string, edit: Edit | undefined): void {
  // At once, not after the next frame: the user may leave before it.
  useLayoutEffect(() => {
    if (edit === undefined) {
      unsaved.delete(id);
      return undefined;
    }
    unsaved.set(id, edit);
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [id, edit]);
}

/** Makes the parts that change of what is typed by then. */
type Fit = (last: Typed) => Partial<Typed>;

interface Formatted {
  readonly files: readonly { readonly path: string; readonly source: string }[];
  readonly diagnostics: readonly Diagnostic[];
}

async function formatted(id: string, { source, tests }: Typed): Promise<{ fit: Fit; found: readonly Diagnostic[] }> {
  const [path, testsPath] = [`${id}.rego`, `${id}_test.rego`];
  const files = [{ path, source }, ...(tests === '' ? [] : [{ path: testsPath, source: tests }])];
  const answer = await api<Formatted>({ method: 'POST', path: '/policies/format', body: { files } });
  const textOf = (name: string, text: string): string =>
    answer.files.find((file) => file.path === name)?.source ?? text;
  // Text that was typed during the save stays.
  const fit: Fit = (last) => ({
    ...(last.source === source ? { source: textOf(path, source) } : {}),
    ...(last.tests === tests ? { tests: textOf(testsPath, tests) } : {}),
  });
  return { fit, found: answer.diagnostics };
}

/** Reads a policy with the tag of its draft. */
export function readPolicy(id: string): Promise<{ readonly value: PolicyDetail; readonly tag: string | undefined }> {
  return apiWithTag<PolicyDetail>({ path: `/policies/${encodeURIComponent(id)}` });
}
