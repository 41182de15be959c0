import {
  compileLater,
  defineRoute,
  exactly,
  given,
  optional,
  timestamp,
  type Answered,
  type Infer,
  type Route,
} from '../../../kernel/index.ts';
import { envelopeSchemas, type Action, type ReadPaths } from '../contract.ts';
import {
  denial,
  outcomeOf,
  readResult,
  verdictOf,
  withApprovals,
  type PolicyResult,
  type Verdict,
} from '../evaluator/result.ts';
import { compilerFiles, foundFiles, gate } from '../folder/gate.ts';
import type { Revision } from '../revisions/revision.ts';
import { ask } from '../toolchain/request.ts';
import { askCompiler } from '../toolchain/source.ts';
import { candidate, onTrial, revisionFor } from './candidate.ts';
import type { RouteScope } from './scope.ts';
import { action, dryRun, pathText } from '../shapes.ts';
import { problems } from '../problems.ts';

const request = exactly({
  action: { ...action, description: 'The action to decide' },
  input: { type: 'object', description: 'The envelope; the server adds missing standard members of `context`' },
  ...candidate('active'),
  explain: optional({
    enum: ['off', 'reasons', 'full'],
    default: 'reasons',
    description: 'How detailed the explanation is',
  }),
  coverage: optional({
    type: 'boolean',
    default: false,
    description: 'Whether the response lists the lines that were evaluated',
  }),
});

type Request = Infer<typeof request>;

const validators = {
  execute: compileLater(envelopeSchemas.execute),
  swap: compileLater(envelopeSchemas.swap),
  publish: compileLater(envelopeSchemas.publish),
};

/** Makes the route `POST /dry-run`, which answers the decision and its reasons without any effect. */
export const dryRunRoute = (scope: RouteScope): Route =>
  defineRoute({
    service: 'policy',
    scope: 'policies:decide',
    method: 'POST',
    path: '/dry-run',
    operationId: 'dryRunPolicies',
    summary: 'Preview a decision and its reasons, without executing or logging it',
    body: request,
    response: dryRun,
    problems: [problems.policy_invalid, problems.revision_not_found, problems.policy_compiler_unavailable],
    async handle({ body, principal: { id: principal } }) {
      const revision = await revisionFor(scope, body);
      const input = framed(scope, body, revision);
      const asks = { principal, action: body.action };
      const { verdict, result } = await evaluate(scope, revision, asks, input);
      const { active } = scope.engine;
      const other =
        active === undefined || active.digest === revision.digest
          ? undefined
          : (await evaluate(scope, active, asks, framed(scope, body, active))).verdict;
      const read = revision.entrypoints[body.action];
      return {
        decision: shown(verdict),
        ...(other === undefined ? {} : { active: shown(other), same_as_active: sameDecision(verdict, other) }),
        ...(result === undefined || body.explain === 'off' ? {} : { warns: result.warns, shadow: result.shadow }),
        input_faults: validators[body.action](structuredClone(input)),
        ...readOf(read, input),
        ...(await explained(scope, body, { revision, input, verdict })),
      };
    },
  });

function shown(verdict: Verdict) {
  return { outcome: outcomeOf(verdict), ...verdict };
}

function framed({ clock, ids, store, version }: RouteScope, { action: name, input }: Request, { digest }: Revision) {
  const now = clock.now();
  const given = input as Readonly<Record<string, unknown>>;
  const context = typeof given['context'] === 'object' && given['context'] !== null ? given['context'] : {};
  const frame = {
    schema: 1,
    time: timestamp(now),
    time_ns: `${now}000000`,
    decision_id: ids('dec'),
    installation: store.installation,
    service_version: version,
    ...(name === 'execute' ? { approvals: [] } : {}),
  };
  return { action: { name }, ...given, context: { ...frame, ...context, revision: digest } };
}

type Framed = ReturnType<typeof framed>;

async function evaluate(
  scope: RouteScope,
  revision: Revision,
  { action: name, principal }: { readonly action: Action; readonly principal: string },
  input: Framed,
): Promise<{ readonly verdict: Verdict; readonly result?: PolicyResult }> {
  const { digest } = revision;
  const time_ns = String(input.context.time_ns);
  const answered = await onTrial(scope, revision, (asked) => asked({ action: name, principal, input, time_ns }));
  if ('fault' in answered) return { verdict: denial(answered.fault, digest, answered.detail) };
  const result = readResult(answered.answer);
  if (result === undefined) return { verdict: denial('policy_result_invalid', digest) };
  const verdict = verdictOf(result, digest, { action: name, groups: scope.groups });
  return { verdict: withApprovals(verdict, input.context), result };
}

function sameDecision(left: Verdict, right: Verdict): boolean {
  // Each evaluator orders a set of denials in its own way.
  const of = ({ allow, asks, reasons = [] }: Verdict): string =>
    JSON.stringify([
      allow,
      asks,
      reasons.map(({ code, policy, message }) => JSON.stringify([code, policy, message])).sort(),
    ]);
  return of(left) === of(right);
}

function readOf(read: ReadPaths | undefined, input: object): object {
  const known = read?.paths ?? [];
  const missing = known.filter((path) => !present(input, path));
  return { cacheable: read?.all === false, read_paths: known.map(pathText), missing_input: missing.map(pathText) };
}

function present(value: unknown, [part, ...rest]: readonly (string | null)[]): boolean {
  if (part === undefined) return true;
  if (typeof value !== 'object' || value === null) return false;
  if (part === null) return Object.values(value).every((one) => present(one, rest));
  return Object.hasOwn(value, part) && present((value as Readonly<Record<string, unknown>>)[part], rest);
}

type Evaluation = Pick<Answered<typeof dryRun>, 'trace' | 'output' | 'builtin_errors' | 'coverage'> & {
  readonly result?: unknown;
};

interface Explained {
  readonly revision: Revision;
  readonly input: Framed;
  readonly verdict: Verdict;
}

async function explained(
  { source, groups }: RouteScope,
  { explain, coverage, action: name }: Request,
  { revision: { digest, files: sources }, input, verdict }: Explained,
): Promise<object> {
  if (explain !== 'full' && !coverage) return {};
  const { data, files: whole } = gate(foundFiles(sources));
  const question = { op: 'eval', action: name, input, data, explain: explain === 'full', coverage };
  const { outcome = {} } = await askCompiler(source, (compiler) =>
    ask<{ readonly outcome?: Evaluation }>(compiler, { ...question, files: compilerFiles(whole) }),
  );
  const { trace, output, builtin_errors, coverage: report, result } = outcome;
  const interpreted = readResult([{ result }]);
  const same =
    interpreted !== undefined &&
    sameDecision(withApprovals(verdictOf(interpreted, digest, { action: name, groups }), input.context), verdict);
  // The trace already has the authors' variable names; only the compiler's own helper variables still need a short name.
  const readable = trace?.slice(0, 200_000).replace(/__local(\d+)__/g, '_$1');
  const told = readable && `${same ? '' : differing}${readable}`;
  return given({ trace: told, output, builtin_errors, coverage: report });
}

const differing =
  '# The OPA interpreter that wrote this trace decides differently. The decision shown is the one that a run gets.\n';
