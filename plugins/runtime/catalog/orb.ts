import { authoredCompiler, type CompileAuthored } from './authored/schema.ts';
import { importedCompiler } from './authored/imported.ts';
import { orbId, parseOrbId, type OrbName } from './orb-id.ts';
import {
  canonical,
  digest,
  compileLater,
  exactly,
  optional,
  type Infer,
  type JsonSchema,
  type Validator,
} from '../../../kernel/index.ts';
import { upstream } from '../../../kernel/runner.ts';

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength }) as const;
const schema = { type: ['object', 'boolean'] } as const;

/** Schema of an Orb manifest, `data/orbs/<orb_id>.json`. */
export const orbManifest = exactly('OrbManifest', {
  manifest_version: { const: 1, description: 'Version of this form' },
  orb_id: { ...orbId, description: 'Id of the Orb' },
  title: { ...text(200), description: 'Title for people' },
  description: { ...text(2000), description: 'Description for people' },
  license: optional({ ...text(100), description: 'SPDX id of its license' }),
  capability: {
    type: 'string',
    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    maxLength: 64,
    description: 'The capability that a provider must offer',
  },
  inputs_schema: { ...schema, description: 'JSON Schema of the inputs' },
  outputs_schema: { ...schema, description: 'JSON Schema of the outputs' },
  effect: {
    enum: ['none', 'idempotent', 'reversible', 'irreversible'],
    description: 'The effect of a run',
  },
  action_class: {
    enum: ['read', 'notify', 'write', 'delete', 'execute', 'payment'],
    description: 'Class of the action, for policies',
  },
  data_classes: optional({
    type: 'array',
    maxItems: 4,
    uniqueItems: true,
    description: 'Classes of data it handles',
    items: { enum: ['public', 'internal', 'confidential', 'restricted'] },
  }),
  timeout_ms: {
    type: 'integer',
    minimum: 1,
    maximum: 600_000,
    description: 'Maximum duration of a run in milliseconds',
  },
  latency_objective_ms: optional({
    type: 'integer',
    minimum: 1,
    maximum: 600_000,
    description: 'Latency objective of a good run in milliseconds',
  }),
  repeat_guard: optional({
    type: 'boolean',
    description: '`false`: repeated calls of agents without an idempotency key are executed again. Default: true',
  }),
  metered: optional({
    type: 'boolean',
    description: '`true`: a run costs money or tokens; an intent is recorded before each call, whatever the effect',
  }),
  upstream: optional({
    ...upstream,
    description: 'The tool of a provider that the Orb represents',
  }),
});

/** A manifest as its author wrote it. */
export type OrbManifest = Infer<typeof orbManifest>;

/** Says whether the intent of a run must be durable before its provider is called. */
export function isIntended({ effect, metered }: Pick<OrbManifest, 'effect' | 'metered'>): boolean {
  return effect !== 'none' || metered === true;
}

/** An Orb that is ready to run: checked and compiled once. */
export interface Orb extends OrbName {
  readonly manifest: OrbManifest;
  /** `sha256:<hex>` of the manifest in canonical form. */
  readonly digest: string;
  readonly inputs: Contract;
  readonly outputs: Contract;
}

/** One side of an Orb's contract. `absent`: the schema accepts anything. */
export interface Contract {
  readonly absent: boolean;
  readonly validate: Validator;
}

const validate = compileLater(orbManifest);

/**
 * Checks a manifest and compiles its schemas; faults are added with their pointer, and then there is no Orb. `shipped`: its
 * schemas were checked before they shipped, so they are compiled at their first use or when the server is idle.
 */
export function createOrb(value: unknown, faults: string[], { shipped = false } = {}): Orb | undefined {
  if (!fitsManifest(validate, value, faults)) return undefined;
  const manifest = Object.freeze(value as OrbManifest);
  const compile = manifest.upstream === undefined ? authoredCompiler() : importedCompiler();
  const make = shipped ? contractLater : contract;
  const inputs = make(manifest.inputs_schema, '/inputs_schema', { compile, faults });
  const outputs = make(manifest.outputs_schema, '/outputs_schema', { compile, faults });
  if (inputs === undefined || outputs === undefined) return undefined;
  const parts = parseOrbId(manifest.orb_id);
  return Object.freeze({ ...parts, manifest, digest: digest(canonical(manifest)), inputs, outputs });
}

/** Says whether a manifest fits its schema; faults are added with their pointer. */
export function fitsManifest(validate: Validator, value: unknown, faults: string[]): boolean {
  const found = validate(value);
  faults.push(...found.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`));
  return found.length === 0;
}

const mostFaults = 32;

interface Making {
  readonly compile: CompileAuthored;
  readonly faults: string[];
}

function contractLater(value: JsonSchema | boolean, path: string, { compile }: Making): Contract {
  const compiled = (): Validator => {
    const faults: string[] = [];
    const made = contract(value, path, { compile, faults });
    if (made === undefined) throw new Error(`a shipped manifest is faulty: ${faults.join(', ')}`);
    return made.validate;
  };
  const schema = typeof value === 'object' ? value : {};
  return Object.freeze({ absent: Object.keys(schema).length === 0, validate: compileLater(schema, compiled) });
}

function contract(value: JsonSchema | boolean, path: string, { compile, faults }: Making): Contract | undefined {
  if (value === false) {
    faults.push(`${path}: false accepts nothing`);
    return undefined;
  }
  const absent = value === true || Object.keys(value).length === 0;
  try {
    // By the API, inputs and outputs are objects, even if the schema allows more.
    const validate = compile(absent ? { type: 'object' } : value, (pointer, detail) => {
      if (faults.length < mostFaults) faults.push(`${path}${pointer.slice(1)}: ${detail}`);
    });
    return validate && Object.freeze({ absent, validate });
  } catch (error) {
    faults.push(`${path}: is not a usable JSON Schema 2020-12 (${(error as Error).message})`);
    return undefined;
  }
}
