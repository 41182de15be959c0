import { exactly, optional, type Answered } from '../../kernel/index.ts';

const text = { type: 'string' } as const;
const objects = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;

/** Actions that policies decide. */
export const actions = ['execute', 'swap', 'publish'] as const;

/** One of the actions. */
export type Action = (typeof actions)[number];

/** A name of an action. */
export const action = { enum: [...actions] } as const;

/** A policy id in a path or body. */
export const policyId = {
  type: 'string',
  pattern: '^[a-z0-9_][a-z0-9_.-]{0,99}$',
  examples: ['limits'],
} as const;

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

/** One finding in a policy file; line and column count from 1. */
export type Diagnostic = Answered<typeof diagnostic>;

/** Modes of a policy: its denials deny, warn, or are only recorded. */
export const modes = ['enforce', 'warn', 'shadow'] as const;

/** One of the modes. */
export type PolicyMode = (typeof modes)[number];

// Without `additionalProperties`: a policy that is read alone has more members.
const { additionalProperties: _, ...policy } = exactly('Policy', {
  id: { ...text, description: 'Id of the policy' },
  active: { type: 'boolean', description: 'Whether it is in force' },
  draft: { type: 'boolean', description: 'A draft waits' },
  path: optional({ ...text, description: 'Path of the file in the folder' }),
  package: optional({ ...text, description: 'Package of Rego' }),
  action: optional({ ...action, description: 'The action it decides' }),
  mode: optional({ enum: modes, description: 'How it counts' }),
  title: optional({ ...text, description: 'Title for people' }),
  description: optional({ ...text, description: 'Description for people' }),
  severity: optional({ ...text, description: 'As its METADATA says' }),
  owner: optional({ ...text, description: 'As its METADATA says' }),
  rules: optional({ type: 'array', description: 'Rules it defines', items: text }),
  tests: optional({ type: 'boolean', description: 'There is a file of tests beside it' }),
  digest: optional({ type: 'string', description: 'SHA-256 of the source, hex' }),
  fallible_accepted: optional({ type: 'boolean', description: 'Whether it accepts builtins that can fail' }),
});

/** A policy, as clients see it. */
export const policyInfo = policy;

type Shown = Answered<typeof policyInfo>;
type Own = 'id' | 'path' | 'package' | 'action' | 'mode' | 'title' | 'description' | 'severity' | 'owner' | 'rules';

/** One active policy file. */
export type PolicyInfo = Pick<Shown, Own> & Required<Pick<Shown, 'path' | 'package' | 'mode' | 'rules'>>;

/** Files in a request. */
export const files = {
  type: 'array',
  minItems: 1,
  maxItems: 200,
  items: exactly('PolicyFile', {
    path: {
      type: 'string',
      pattern: '^[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}$',
      examples: ['limits.rego'],
      description: 'Path of the file in the folder',
    },
    source: { type: 'string', maxLength: 262_144, description: 'Text of the file' },
  }),
} as const;

/** One file of the policies folder: its path, with `/` as separator, and its text. */
export type PolicyFile = Answered<typeof files>[number];

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

/** One test of a `*_test.rego`. */
export type TestResult = Answered<typeof tests>[number];

/** A list of envelope paths. */
export const paths = { type: 'array', items: { type: 'string' } } as const;

/** Writes a read path as text: `context.providers[].name`. */
export function pathText(path: readonly (string | null)[]): string {
  return path
    .map((part) => part ?? '[]')
    .join('.')
    .replaceAll('.[]', '[]');
}

/** Schema of a draft, as clients see it. */
export const draft = exactly('PolicyDraft', {
  source: { type: 'string', description: 'Rego of the draft' },
  tests: optional({ type: 'string', description: 'Rego of its tests' }),
  message: optional({ type: 'string', description: 'Why it was changed' }),
  updated_at: { type: 'string', description: 'When it last changed' },
  updated_by: { type: 'string', description: 'Id of the author, `prn_<ulid>`' },
});

/** A draft: a policy file that is not active. */
export type Draft = Answered<typeof draft> & { readonly id: string };

/** Schema of a revision in a list. */
export const revision = exactly('PolicyRevision', {
  revision: { ...text, description: 'Digest of the revision of the policies' },
  active: { type: 'boolean', description: 'Whether it is in force' },
  created_at: { ...text, description: 'When it was made' },
  created_by: { ...text, description: 'A principal, or `folder`' },
  message: optional({ ...text, description: 'Why it was changed' }),
});

/** Schema of an activation: the new active revision and the previous one. */
export const activated = exactly('PolicyActivation', {
  revision: { ...text, description: 'Digest of the revision in force now' },
  previous: optional({ ...text, description: 'What was in force before' }),
});

/** Schema of the members of a decision that have their own column and can be filtered. */
export const decisionHead = {
  decision_id: { ...text, description: 'Id of the decision' },
  at: { ...text, description: 'When it happened' },
  action: { ...action, description: 'What was asked for' },
  allow: { type: 'boolean', description: 'Whether it is allowed' },
  orb_id: { ...text, description: 'Id of the Orb' },
  principal: { ...text, description: 'Id of the principal that asked, `prn_<ulid>`' },
  tenant: { ...text, description: 'The tenant it belongs to' },
  revision: optional({ ...text, description: 'Digest of the revision of the policies' }),
  run_id: optional({ ...text, description: 'The run it was for' }),
  receipt_id: optional({ ...text, description: 'The receipt that attests it' }),
} as const;

/** Schema of a row of the decision log. */
export const decision = exactly('PolicyDecision', {
  ...decisionHead,
  entrypoint: optional({ ...text, description: 'The rule that was asked' }),
  cached: { type: 'boolean', description: 'Whether an equal decision was known' },
  duration_us: { type: 'integer', description: 'How long it took, microseconds' },
  policies: optional({ type: 'array', description: 'Ids of the policies', items: text }),
  reasons: optional({ ...objects, description: 'Why it was denied' }),
  warns: optional({ type: 'integer', description: 'Number of policies that warned' }),
  shadow_denies: optional({ type: 'integer', description: 'Number of policies in shadow that would deny' }),
  input: optional({ type: 'object', additionalProperties: true, description: 'The envelope without inputs' }),
});

const verdict = exactly('PolicyVerdict', {
  allow: { type: 'boolean', description: 'Whether it is allowed' },
  policies: { type: 'array', description: 'Ids of the policies', items: text },
  reasons: optional({ ...objects, description: 'Why it is denied' }),
  warns: { type: 'integer', description: 'Number of policies that warned' },
  shadow_denies: { type: 'integer', description: 'Number of policies in shadow that would deny' },
  revision: optional({ ...text, description: 'Digest of the revision of the policies' }),
});

/** Schema of the answer of a dry run. */
export const dryRun = exactly({
  decision: { ...verdict, description: 'What would be decided' },
  active: optional({ ...verdict, description: 'What the active revision decides of the same input' }),
  same_as_active: optional({ type: 'boolean', description: 'Whether the active revision decides the same' }),
  warns: optional({ ...objects, description: 'What policies warn of' }),
  shadow: optional({ type: 'object', description: 'What policies in shadow say', additionalProperties: true }),
  input_faults: {
    type: 'array',
    description: 'Where the envelope breaks its schema',
    items: exactly({
      pointer: { ...text, description: 'JSON Pointer as a URI fragment' },
      detail: { ...text, description: 'What is wrong there' },
    }),
  },
  read_paths: { ...paths, description: 'What the policies can read' },
  missing_input: { ...paths, description: 'What they read and the envelope lacks' },
  cacheable: { type: 'boolean', description: 'Whether such decisions are cached' },
  trace: optional({ ...text, description: "OPA's trace" }),
  output: optional({ ...text, description: 'What print() said' }),
  builtin_errors: optional({ ...diagnostics, description: 'Builtins that failed' }),
  coverage: optional({ type: 'object', description: "OPA's coverage report", additionalProperties: true }),
});

const number = { type: 'integer' } as const;
const ids = { type: 'array', items: { type: 'string' } } as const;
const changedOutcomes = {
  would_deny: 'Was allowed, and would be denied',
  would_allow: 'Was denied, and would be allowed',
  undecidable: 'The answer needs the inputs, or did not come in time',
  not_replayable: 'A fact is no longer kept, or the engine had failed',
} as const;

function ofEach<T extends object>(schema: T) {
  const described = (outcome: keyof typeof changedOutcomes) => ({ ...schema, description: changedOutcomes[outcome] });
  return {
    would_deny: described('would_deny'),
    would_allow: described('would_allow'),
    undecidable: described('undecidable'),
    not_replayable: described('not_replayable'),
  };
}

/** Schema of the answer of a replay. */
export const replayed = exactly({
  revision: { ...text, description: 'Digest of the policies that answered' },
  examined: { ...number, description: 'Number of decisions replayed' },
  complete: { type: 'boolean', description: 'false: the time was used up before' },
  from: optional({ ...text, description: 'Time of the oldest of them' }),
  to: optional({ ...text, description: 'Time of the newest of them' }),
  counts: {
    ...exactly({ same: { ...number, description: 'Would end as they did' }, ...ofEach(number) }),
    description: 'How many ended how',
  },
  decision_ids: { ...exactly(ofEach(ids)), description: 'Which, newest first' },
});

/** Schema of formatted files. */
export const formatted = exactly({
  files: {
    type: 'array',
    description: 'The files',
    items: exactly({
      path: { ...text, description: 'Path of the file in the folder' },
      source: { ...text, description: 'Text of the file' },
      changed: { type: 'boolean', description: 'Whether it differs from the file that was sent' },
    }),
  },
  diagnostics: { ...diagnostics, description: 'Findings in the policies' },
});
