import { exactly, optional } from '../../../kernel/index.ts';
import { actions } from '../contract.ts';

/** A name of an action. */
export const action = { enum: [...actions] } as const;

/** A policy id in a path or body. */
export const policyId = { type: 'string', pattern: '^[a-z0-9_][a-z0-9_.-]{0,99}$' } as const;

/** One finding, as clients see it. */
const diagnostic = exactly('PolicyDiagnostic', {
  severity: { enum: ['error', 'warning'], description: 'How bad it is' },
  code: { type: 'string', description: 'Kind of finding' },
  message: { type: 'string', description: 'What was found' },
  file: optional({ type: 'string', description: 'Path below the folder' }),
  line: optional({ type: 'integer', description: 'From 1' }),
  column: optional({ type: 'integer', description: 'From 1' }),
  excerpt: optional({ type: 'string', description: 'The line, and a caret below the column' }),
  hint: optional({ type: 'string', description: 'How to write it instead' }),
});

/** A list of findings. */
export const diagnostics = { type: 'array', items: diagnostic } as const;

const text = { type: 'string' } as const;

/** A policy, as clients see it. */
export const policyInfo = exactly('Policy', {
  id: { ...text, description: 'Id of the policy' },
  active: { type: 'boolean', description: 'Whether it is in force' },
  draft: { type: 'boolean', description: 'A draft waits' },
  path: optional({ ...text, description: 'Path of the file in the folder' }),
  package: optional({ ...text, description: 'Package of Rego' }),
  action: optional({ ...action, description: 'The action it decides' }),
  mode: optional({ enum: ['enforce', 'warn', 'shadow'], description: 'How it counts' }),
  title: optional({ ...text, description: 'Title for people' }),
  description: optional({ ...text, description: 'Description for people' }),
  severity: optional({ ...text, description: 'As its METADATA says' }),
  owner: optional({ ...text, description: 'As its METADATA says' }),
  rules: optional({ type: 'array', description: 'Rules it defines', items: text }),
  tests: optional({ type: 'boolean', description: 'A file of tests lies beside it' }),
  digest: optional({ type: 'string', description: 'SHA-256 of the source, hex' }),
  fallible_accepted: optional({ type: 'boolean', description: 'Whether it accepts builtins that can fail' }),
});

/** Files in a request. */
export const files = {
  type: 'array',
  minItems: 1,
  maxItems: 200,
  items: exactly('PolicyFile', {
    path: {
      type: 'string',
      pattern: '^[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}$',
      description: 'Path of the file in the folder',
    },
    source: { type: 'string', maxLength: 262_144, description: 'Text of the file' },
  }),
} as const;

/** Results of tests. */
export const tests = {
  type: 'array',
  items: exactly('PolicyTest', {
    name: { ...text, description: 'Name of the test' },
    package: { ...text, description: 'Package of the test' },
    file: { ...text, description: 'File of the test' },
    line: { type: 'integer', description: 'Line, from 1' },
    passed: { type: 'boolean', description: 'Whether it passed' },
    skipped: optional({ type: 'boolean', description: 'Whether it was left out' }),
    message: optional({ ...text, description: 'Why it failed' }),
    output: optional({ type: 'string', description: 'What print() said' }),
  }),
} as const;

/** A list whose entries are paths of an envelope. */
export const paths = { type: 'array', items: { type: 'string' } } as const;

/** Writes a read path as a text: `context.providers[].name`. */
export function pathText(path: readonly (string | null)[]): string {
  return path
    .map((part) => part ?? '[]')
    .join('.')
    .replaceAll('.[]', '[]');
}
