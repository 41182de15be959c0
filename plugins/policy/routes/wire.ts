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
    severity: { enum: ['error', 'warning'], description: 'How bad it is' },
    code: { type: 'string', description: 'Kind of finding' },
    message: { type: 'string', description: 'What was found' },
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
    id: { ...text, description: 'Id of the policy' },
    active: { type: 'boolean', description: 'Whether it is in force' },
    draft: { type: 'boolean', description: 'A draft waits' },
    path: { ...text, description: 'Path of the file in the folder' },
    package: { ...text, description: 'Package of Rego' },
    action: { ...action, description: 'The action it decides' },
    mode: { enum: ['enforce', 'warn', 'shadow'], description: 'How it counts' },
    title: { ...text, description: 'Title for people' },
    description: { ...text, description: 'Description for people' },
    severity: { ...text, description: 'As its METADATA says' },
    owner: { ...text, description: 'As its METADATA says' },
    rules: { type: 'array', description: 'Rules it defines', items: text },
    tests: { type: 'boolean', description: 'A file of tests lies beside it' },
    digest: { type: 'string', description: 'SHA-256 of the source, hex' },
    fallible_accepted: { type: 'boolean', description: 'Whether it accepts builtins that can fail' },
  },
} as const;

/** Files in a request. */
export const files = {
  type: 'array',
  minItems: 1,
  maxItems: 200,
  items: {
    title: 'PolicyFile',
    type: 'object',
    additionalProperties: false,
    required: ['path', 'source'],
    properties: {
      path: {
        type: 'string',
        pattern: '^[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}$',
        description: 'Path of the file in the folder',
      },
      source: { type: 'string', maxLength: 262_144, description: 'Text of the file' },
    },
  },
} as const;

/** Results of tests. */
export const tests = {
  type: 'array',
  items: {
    title: 'PolicyTest',
    type: 'object',
    required: ['name', 'package', 'file', 'line', 'passed'],
    properties: {
      name: { ...text, description: 'Name of the test' },
      package: { ...text, description: 'Package of the test' },
      file: { ...text, description: 'File of the test' },
      line: { type: 'integer', description: 'Line, from 1' },
      passed: { type: 'boolean', description: 'Whether it passed' },
      skipped: { type: 'boolean', description: 'Whether it was left out' },
      message: { ...text, description: 'Why it failed' },
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
