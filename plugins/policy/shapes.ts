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
export const policyId = { type: 'string', pattern: '^[a-z0-9_][a-z0-9_.-]{0,99}$', examples: ['limits'] } as const;

/** One finding, as clients see it. */
const diagnostic = exactly('PolicyDiagnostic', {
  severity: { enum: ['error', 'warning'], description: 'Severity of the finding' },
  code: { type: 'string', description: 'Kind of finding' },
  message: { type: 'string', description: 'Message of the finding' },
  file: optional({ type: 'string', description: 'Path inside the policies folder' }),
  line: optional({ type: 'integer', description: 'Line number, from 1' }),
  column: optional({ type: 'integer', description: 'Column number, from 1' }),
  excerpt: optional({ type: 'string', description: 'The line, with a caret below the column' }),
  hint: optional({ type: 'string', description: 'How to correct it' }),
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
  active: { type: 'boolean', description: 'Whether it is active' },
  draft: { type: 'boolean', description: 'Whether the policy has a draft' },
  path: optional({ ...text, description: 'Path of the file in the folder' }),
  package: optional({ ...text, description: 'Rego package' }),
  action: optional({ ...action, description: 'The action that it decides about' }),
  mode: optional({ enum: modes, description: 'Mode of the policy' }),
  title: optional({ ...text, description: 'Title' }),
  description: optional({ ...text, description: 'Description' }),
  severity: optional({ ...text, description: 'As given in its METADATA' }),
  owner: optional({ ...text, description: 'As given in its METADATA' }),
  rules: optional({ type: 'array', description: 'Rules that it defines', items: text }),
  approvers: optional({ type: 'array', description: 'Groups that its asks name', items: text }),
  tests: optional({ type: 'boolean', description: 'Whether it has a test file' }),
  digest: optional({ type: 'string', description: 'SHA-256 of the source, hex' }),
  fallible_accepted: optional({ type: 'boolean', description: 'Whether it may call builtins that can fail' }),
});

/** A policy, as clients see it. */
export const policyInfo = policy;

type Shown = Answered<typeof policyInfo>;
type OfAnswer = 'active' | 'draft' | 'tests' | 'digest' | 'fallible_accepted';

/** One active policy file. */
export type PolicyInfo = Omit<Shown, OfAnswer> & Required<Pick<Shown, 'path' | 'package' | 'mode' | 'rules'>>;

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
    skipped: optional({ type: 'boolean', description: 'Whether it was skipped' }),
    message: optional({ ...text, description: 'Why it failed' }),
    output: optional({ type: 'string', description: 'Output of `print()`' }),
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
  message: optional({ type: 'string', description: 'Reason for the change' }),
  updated_at: { type: 'string', description: 'When the draft last changed' },
  updated_by: { type: 'string', description: 'Id of the author, `prn_<ulid>`' },
});

/** A draft: a policy file that is not active. */
export type Draft = Answered<typeof draft> & { readonly id: string };

/** Schema of a revision in a list. */
export const revision = exactly('PolicyRevision', {
  revision: { ...text, description: 'Digest of the revision of the policies' },
  active: { type: 'boolean', description: 'Whether it is active' },
  created_at: { ...text, description: 'When it was activated' },
  created_by: { ...text, description: 'The principal that activated it, or `folder`' },
  message: optional({ ...text, description: 'Reason for the change' }),
});

/** Schema of an activation: the new active revision and the previous one. */
export const activated = exactly('PolicyActivation', {
  revision: { ...text, description: 'Digest of the active revision' },
  previous: optional({ ...text, description: 'Digest of the previously active revision' }),
});

/** Schema of the members of a decision that have their own column and can be filtered. */
export const decisionHead = {
  decision_id: { ...text, description: 'Id of the decision' },
  at: { ...text, description: 'When it was made' },
  action: { ...action, description: 'The requested action' },
  allow: { type: 'boolean', description: 'Whether it is allowed' },
  orb_id: { ...text, description: 'Id of the Orb' },
  principal: { ...text, description: 'Id of the requesting principal, `prn_<ulid>`' },
  tenant: { ...text, description: 'The tenant it belongs to' },
  revision: optional({ ...text, description: 'Digest of the revision of the policies' }),
  run_id: optional({ ...text, description: 'The run that it was made for' }),
  receipt_id: optional({ ...text, description: 'The receipt that attests it' }),
} as const;

// Answered when policies ask for an approval.
const asks = {
  type: 'array',
  description: 'Who must approve it first',
  items: exactly('PolicyAsk', {
    code: { ...text, description: 'Code of the ask' },
    message: { ...text, description: 'Why an approval is needed' },
    approvers: { ...text, description: 'The group whose members may approve' },
    of: { type: 'integer', description: 'How many of them must approve' },
    expires_s: { type: 'integer', description: 'Seconds after which the request expires, and the run is denied' },
    bind: { enum: ['inputs', 'provider'], description: '`provider`: a swap of the provider makes the approval void' },
    policies: { type: 'array', description: 'Ids of the policies that ask', items: text },
  }),
} as const;

const outcome = { enum: ['allow', 'ask', 'deny'], description: '`ask`: people must approve it first' } as const;

/** Schema of a row of the decision log. */
export const decision = exactly('PolicyDecision', {
  ...decisionHead,
  outcome,
  entrypoint: optional({ ...text, description: 'The rule that was evaluated' }),
  cached: { type: 'boolean', description: 'Whether it was answered from the cache' },
  duration_us: { type: 'integer', description: 'Duration in microseconds' },
  policies: optional({ type: 'array', description: 'Ids of the policies', items: text }),
  reasons: optional({ ...objects, description: 'Why it was denied, or why it needs an approval' }),
  asks: optional(asks),
  warns: optional({ type: 'integer', description: 'Number of policies that warned' }),
  shadow_denies: optional({ type: 'integer', description: 'Number of policies in shadow mode that would deny it' }),
  input: optional({ type: 'object', additionalProperties: true, description: 'The envelope without inputs' }),
});

const verdict = exactly('PolicyVerdict', {
  outcome,
  allow: { type: 'boolean', description: 'Whether it is allowed' },
  policies: { type: 'array', description: 'Ids of the policies', items: text },
  reasons: optional({ ...objects, description: 'Why it is denied, or why it needs an approval' }),
  asks: optional(asks),
  warns: { type: 'integer', description: 'Number of policies that warned' },
  shadow_denies: { type: 'integer', description: 'Number of policies in shadow mode that would deny it' },
  revision: optional({ ...text, description: 'Digest of the revision of the policies' }),
});

/** Schema of the answer of a dry run. */
export const dryRun = exactly({
  decision: { ...verdict, description: 'The decision that would be made' },
  active: optional({ ...verdict, description: 'The decision of the active revision for the same input' }),
  same_as_active: optional({ type: 'boolean', description: 'Whether the active revision decides the same way' }),
  warns: optional({ ...objects, description: 'Warnings of policies' }),
  shadow: optional({ type: 'object', description: 'Results of policies in shadow mode', additionalProperties: true }),
  input_faults: {
    type: 'array',
    description: 'Places where the envelope does not match its schema',
    items: exactly({
      pointer: { ...text, description: 'JSON Pointer as a URI fragment' },
      detail: { ...text, description: 'What is wrong at this place' },
    }),
  },
  read_paths: { ...paths, description: 'Parts of the envelope that the policies can read' },
  missing_input: { ...paths, description: 'Parts that the policies read and that the envelope lacks' },
  cacheable: { type: 'boolean', description: 'Whether decisions about the action are cached' },
  trace: optional({ ...text, description: "OPA's trace" }),
  output: optional({ ...text, description: 'Output of `print()`' }),
  builtin_errors: optional({ ...diagnostics, description: 'Builtins that failed' }),
  coverage: optional({ type: 'object', description: "OPA's coverage report", additionalProperties: true }),
});

const number = { type: 'integer' } as const;
const ids = { type: 'array', items: { type: 'string' } } as const;
const changedOutcomes = {
  would_deny: 'Decisions that would be denied, and were not',
  would_ask: 'Decisions that would need an approval, and did not',
  would_allow: 'Decisions that would be allowed, and were not',
  undecidable: 'Decisions that need the inputs, or ran out of time',
  not_replayable: 'Decisions whose data is no longer kept, or that failed in the engine',
} as const;

function ofEach<T extends object>(schema: T) {
  const each = Object.entries(changedOutcomes).map(([outcome, description]) => [outcome, { ...schema, description }]);
  return Object.fromEntries(each) as Record<keyof typeof changedOutcomes, T & { readonly description: string }>;
}

/** Schema of the answer of a replay. */
export const replayed = exactly({
  revision: { ...text, description: 'Digest of the revision that was replayed' },
  examined: { ...number, description: 'Number of decisions replayed' },
  complete: { type: 'boolean', description: '`false`: the time limit was reached first' },
  from: optional({ ...text, description: 'Time of the oldest replayed decision' }),
  to: optional({ ...text, description: 'Time of the newest replayed decision' }),
  counts: {
    ...exactly({ same: { ...number, description: 'Number of decisions that would be the same' }, ...ofEach(number) }),
    description: 'Number of decisions by result',
  },
  decision_ids: { ...exactly(ofEach(ids)), description: 'The changed decisions, newest first' },
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
