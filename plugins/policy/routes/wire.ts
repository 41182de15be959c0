import { actions } from '../contract.ts';

/** A name of an action. */
export const action = { enum: [...actions] } as const;

/** A policy id in a path or body. */
export const policyId = { type: 'string', pattern: '^[a-z0-9_][a-z0-9_.-]{0,99}$' } as const;

/** One finding, as clients see it. */
const diagnostic = {
  $id: 'PolicyDiagnostic',
  type: 'object',
  required: ['severity', 'code', 'message'],
  properties: {
    severity: { enum: ['error', 'warning'] },
    code: { type: 'string' },
    message: { type: 'string' },
    file: { type: 'string', description: 'Path below the folder' },
    line: { type: 'integer', description: 'From 1' },
    column: { type: 'integer', description: 'From 1' },
    excerpt: { type: 'string', description: 'The line, and a caret below the column' },
    hint: { type: 'string', description: 'How to write it instead' },
  },
} as const;

/** A list of findings. */
export const diagnostics = { type: 'array', items: diagnostic } as const;

const text = { type: 'string' } as const;

/** A policy, as clients see it. */
export const policyInfo = {
  $id: 'Policy',
  type: 'object',
  required: ['id', 'active', 'draft'],
  properties: {
    id: text,
    active: { type: 'boolean' },
    draft: { type: 'boolean', description: 'A draft waits' },
    path: text,
    package: text,
    action,
    mode: { enum: ['enforce', 'warn', 'shadow'] },
    title: text,
    description: text,
    severity: text,
    owner: text,
    rules: { type: 'array', items: text },
    tests: { type: 'boolean', description: 'A file of tests lies beside it' },
    digest: { type: 'string', description: 'SHA-256 of the source, hex' },
    fallible_accepted: { type: 'boolean' },
  },
} as const;

/** Files in a request. */
export const files = {
  type: 'array',
  minItems: 1,
  maxItems: 200,
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['path', 'source'],
    properties: {
      path: { type: 'string', pattern: '^[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}$' },
      source: { type: 'string', maxLength: 262_144 },
    },
  },
} as const;

/** Results of tests. */
export const tests = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'package', 'file', 'line', 'passed'],
    properties: {
      name: text,
      package: text,
      file: text,
      line: { type: 'integer' },
      passed: { type: 'boolean' },
      skipped: { type: 'boolean' },
      message: text,
      output: { type: 'string', description: 'What print() said' },
    },
  },
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
