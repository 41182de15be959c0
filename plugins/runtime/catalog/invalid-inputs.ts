import type { Catalog } from './catalog.ts';
import type { Orb } from './orb.ts';
import { orbisetsWith } from './unknown-orb.ts';
import { holds, type Principal, PlatformError, type Fault, unfit } from '../../../kernel/index.ts';

/** What a capability says of its inputs, by name: the form of a text, which a schema cannot tell. */
type Meanings = Readonly<Record<string, string>>;

/** Makes the 422 of inputs that do not fit the schema of an Orb. */
export function invalidInputs({ orb_id }: Pick<Orb, 'orb_id'>, faults: readonly Fault[], meanings?: Meanings) {
  const detail = `the inputs do not fit ${orb_id}; GET /orbs/${orb_id} shows its schema`;
  return new PlatformError('invalid_inputs', detail, { errors: told(faults, meanings) });
}

/** Makes the 422 of a member of a body that does not fit, or does not go together with the others. */
export function unfitMember(member: string, detail: string): PlatformError {
  return unfit('invalid_body', member, detail, `${member} ${detail}`);
}

/** What is needed to check the inputs of a body that is refused in any case. */
interface RefusedScope {
  readonly catalog: Catalog;
  inputsOf(capability: string): Meanings;
}

/** Lists the faults of the inputs of a body that does not fit for another reason; none of an Orb that the caller may not run. */
export function inputFaults(
  { orb_id, inputs }: { readonly orb_id?: unknown; readonly inputs?: unknown },
  caller: Principal | undefined,
  { catalog, inputsOf }: RefusedScope,
): readonly Fault[] {
  if (typeof orb_id !== 'string' || caller === undefined || !holds(caller.scopes, 'orbs:execute', orb_id)) return [];
  if (orbisetsWith(orb_id, caller, catalog).length === 0) return [];
  const orb = catalog.orbs.get(orb_id);
  if (orb === undefined || typeof inputs !== 'object' || inputs === null || Array.isArray(inputs)) return [];
  return told(orb.inputs.validate(inputs), inputsOf(orb.manifest.capability));
}

function told(faults: readonly Fault[], meanings: Meanings = {}): readonly Fault[] {
  return faults.map(({ pointer, detail }) => {
    const name = nameOf(pointer);
    const meaning = Object.hasOwn(meanings, name) ? meanings[name] : undefined;
    return {
      pointer: `#/inputs${pointer.slice(1)}`,
      detail: meaning === undefined ? detail : `${detail}. ${meaning}`,
    };
  });
}

// `#/attachments/0/filename` is `attachments.filename`.
function nameOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .filter((part) => !/^\d+$/.test(part))
    .join('.');
}
