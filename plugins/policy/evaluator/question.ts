import { compileLater, type AccessRequest, type Validator } from '../../../kernel/index.ts';
import { actions, questionSchemas, sharedSchemas } from '../contract.ts';
import type { WasmModule } from './web-assembly.ts';

/** One revision, ready to be sent to a thread. */
export interface Loadable {
  readonly revision: string;
  readonly module: WasmModule;
  /** JSON text of the data document. */
  readonly data: string;
}

/** Result of one evaluation. */
export type Evaluated =
  | { readonly answer: unknown }
  | {
      readonly fault: 'policy_builtin_error' | 'policy_error';
      readonly detail: string;
      /** The evaluation needed the value that was withheld. */
      readonly needs_withheld?: true;
    };

/**
 * Result of one question. `policy_timeout`: the evaluation ran longer than the deadline; `policy_overloaded`: it got no
 * turn in time, in the queue or on the processor.
 */
export type PoolAnswer =
  | Evaluated
  | { readonly fault: 'policy_timeout' | 'policy_overloaded'; readonly detail: string };

/** A question as a thread receives it, about a loaded revision; `input`: JSON text, `time_ns`: its frozen time. */
export interface Asked {
  readonly revision: string;
  /** Name of the entrypoint, or its number in the module. */
  readonly entrypoint: string | number;
  readonly input: string | undefined;
  readonly time_ns: string;
  /** Paths of the input whose values are withheld: an evaluation that reads such a value ends there. */
  readonly withheld?: readonly (readonly string[])[] | undefined;
}

/** One question to a loaded revision. */
export interface Question extends Asked {
  readonly principal: string;
  /** Time of this evaluation; default: that of the pool. */
  readonly deadlineMs?: number;
  /** Called when the question leaves the queue; a returned answer replaces the evaluation. */
  readonly refused?: () => PoolAnswer | undefined;
}

/** A question with the callback that takes its answer. */
export interface Waiting extends Question {
  readonly answer: (answer: PoolAnswer) => void;
}

const validators: ReadonlyMap<string, Validator> = new Map(
  actions.map((action) => [action, compileLater(questionSchemas[action])]),
);
const shared = { subject: compileLater(sharedSchemas.subject), resource: compileLater(sharedSchemas.resource) };

// Frozen objects that many questions share: each is validated once.
const fitting = new WeakSet<object>();

/** Validates a question against its action's schema; returns the first error, or undefined when it is valid. */
export function faultOf(request: AccessRequest): string | undefined {
  const validate = validators.get(request.action.name);
  if (validate === undefined) return 'the action is unknown';
  const [fault] = validate(request);
  if (fault !== undefined) return `${fault.pointer} ${fault.detail}`;
  return faultIn('subject', request.subject) ?? faultIn('resource', request.resource);
}

function faultIn(member: keyof typeof shared, value: object): string | undefined {
  if (fitting.has(value)) return undefined;
  const [fault] = shared[member](value);
  if (fault !== undefined) return `#/${member}${fault.pointer.slice(1)} ${fault.detail}`;
  if (Object.isFrozen(value)) fitting.add(value);
  return undefined;
}
