import { compileLater, type AccessRequest, type Validator } from '../../../kernel/index.ts';
import { actions, questionSchemas, sharedSchemas } from '../contract.ts';

const validators: ReadonlyMap<string, Validator> = new Map(
  actions.map((action) => [action, compileLater(questionSchemas[action])]),
);
const shared = { subject: compileLater(sharedSchemas.subject), resource: compileLater(sharedSchemas.resource) };

// Frozen, and the same in thousands of questions: they are looked at once.
const fitting = new WeakSet<object>();

/** Finds what makes a question one that policies cannot be asked; undefined: it has the shape of its action. */
export function faultOf(request: AccessRequest): string | undefined {
  const validate = validators.get(request.action.name);
  if (validate === undefined) return 'the action is not known';
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
