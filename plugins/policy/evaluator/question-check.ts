import { compileLater, type AccessRequest, type Validator } from '../../../kernel/index.ts';
import { actions, questionSchemas, sharedSchemas } from '../contract.ts';

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
