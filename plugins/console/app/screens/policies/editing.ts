import { useEffect, useState } from 'preact/hooks';
import { announce } from '../../frame/announce.ts';
import { api, apiWithTag, type Call } from '../../frame/api.ts';
import { asProblem, type ApiProblem } from '../../frame/problem.ts';
import type { Diagnostic, PolicyDetail } from './model.ts';

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
  /** Reads the policy again, or goes to it. */
  readonly onSaved: () => void | Promise<void>;
}

/** A policy that is being edited. */
export interface Editing {
  readonly typed: Typed;
  /** What is typed differs from what is stored. */
  readonly changed: boolean;
  readonly state: 'idle' | 'busy' | 'saved';
  readonly problem: ApiProblem | undefined;
  readonly found: readonly Diagnostic[];
  /** The call that saves it. */
  readonly call: Call;
  type(part: Partial<Typed>): void;
  undo(): void;
  save(): Promise<void>;
  format(): Promise<void>;
}

// What was typed and not saved, by policy: going to another screen and back must not lose it.
const unsaved = new Map<string, Typed>();

function storedOf({ policy, start = '' }: EditingProps): Typed {
  const { waiting, source = start, tests_source = '' } = policy ?? {};
  if (waiting === undefined) return { source, tests: tests_source, message: '' };
  return { source: waiting.source, tests: waiting.tests ?? tests_source, message: waiting.message ?? '' };
}

/** Keeps what is typed of a policy, checks and saves it. */
export function useEditing(props: EditingProps): Editing {
  const { id, tag, onSaved } = props;
  const stored = storedOf(props);
  const [typed, setTyped] = useState(unsaved.get(id) ?? stored);
  const [shown, setShown] = useState<Pick<Editing, 'state' | 'problem' | 'found'>>(nothing);
  const changed = (['source', 'tests', 'message'] as const).some((name) => typed[name] !== stored[name]);
  useLeaving(id, changed ? typed : undefined);
  const call = saving(id, typed, tag);
  const type = (part: Partial<Typed>): void => {
    setTyped((last) => ({ ...last, ...part }));
    setShown((last) => ({ ...last, state: 'idle' }));
  };
  return {
    ...{ ...shown, typed, changed, call, type },
    undo: () => setTyped(stored),
    async save() {
      setShown((last) => ({ ...last, state: 'busy', problem: undefined }));
      try {
        const { diagnostics } = await api<{ readonly diagnostics: readonly Diagnostic[] }>(call);
        unsaved.delete(id);
        await onSaved();
        setShown({ state: 'saved', problem: undefined, found: diagnostics });
        announce('The draft is saved. It is not in force.');
      } catch (thrown) {
        const problem = asProblem(thrown);
        setShown({ state: 'idle', problem, found: problem.diagnostics as readonly Diagnostic[] });
      }
    },
    async format() {
      try {
        const { part, found } = await formatted(id, typed);
        setShown({ state: 'idle', problem: undefined, found });
        setTyped((last) => ({ ...last, ...part }));
        announce(found.length === 0 ? 'Formatted' : 'Not formatted: it has faults');
      } catch (thrown) {
        setShown({ state: 'idle', problem: asProblem(thrown), found: [] });
      }
    },
  };
}

const nothing = { state: 'idle', problem: undefined, found: [] } as const;

// A draft that somebody else has changed since is not replaced: the tag no longer fits.
function saving(id: string, { source, tests, message }: Typed, tag: string | undefined): Call {
  return {
    method: 'PUT',
    path: `/policies/${id}`,
    headers: tag === undefined ? { 'if-none-match': '*' } : { 'if-match': tag },
    body: { source, ...(tests === '' ? {} : { tests }), ...(message === '' ? {} : { message }) },
  };
}

// Keeps what is typed when another screen is shown, and warns before the window is closed.
function useLeaving(id: string, typed: Typed | undefined): void {
  useEffect(() => {
    if (typed === undefined) {
      unsaved.delete(id);
      return undefined;
    }
    unsaved.set(id, typed);
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [id, typed]);
}

interface Formatted {
  readonly files: readonly { readonly path: string; readonly source: string }[];
  readonly diagnostics: readonly Diagnostic[];
}

async function formatted(
  id: string,
  { source, tests }: Typed,
): Promise<Pick<Editing, 'found'> & { part: Partial<Typed> }> {
  const [path, testsPath] = [`${id}.rego`, `${id}_test.rego`];
  const files = [{ path, source }, ...(tests === '' ? [] : [{ path: testsPath, source: tests }])];
  const answer = await api<Formatted>({ method: 'POST', path: '/policies/format', body: { files } });
  const textOf = (name: string, text: string): string =>
    answer.files.find((file) => file.path === name)?.source ?? text;
  return { part: { source: textOf(path, source), tests: textOf(testsPath, tests) }, found: answer.diagnostics };
}

/** Reads a policy with the tag of its draft. */
export function readPolicy(id: string): Promise<{ readonly value: PolicyDetail; readonly tag: string | undefined }> {
  return apiWithTag<PolicyDetail>({ path: `/policies/${encodeURIComponent(id)}` });
}
