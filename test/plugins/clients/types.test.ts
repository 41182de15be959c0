import { expect } from 'chai';
import { join } from 'node:path';
import ts from 'typescript';
import { packageDir } from '../../helpers/folder.ts';
import { installClient, type Installed } from './built.ts';

const head = `import { Orb, verifyReceipt, verifyWebhook, type Outcome } from 'agent-orb';
const orb = new Orb('https://orb.example.com', async () => 'token', { pin: 'tofu' });
`;
const typed = `declare module 'agent-orb' {
  interface Orbs {
    'notify.email@1.0.0': { inputs: { to: string; cc?: string }; outputs: { message_id: string } };
  }
}
`;
const strict = `declare module 'agent-orb' { interface OrbsSettings { strict: true } }
`;

/** Programs, and what the compiler says of each; undefined: nothing. */
const programs: readonly (readonly [name: string, code: string, fault?: RegExp])[] = [
  [
    'decides by every kind',
    `function words(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'completed': return String(outcome.outputs['id']);
    case 'denied': return outcome.code;
    case 'held': return outcome.runId;
    case 'rejected': case 'failed': return outcome.code;
    case 'unknown': case 'unreachable': return outcome.key;
    case 'unverified': return outcome.check;
    default: { const never: never = outcome; return never; }
  }
}
words(await orb.run('any.orb@1.0.0', { text: 'x' }));`,
  ],
  [
    'forgets a kind',
    `function words(outcome: Outcome): string { switch (outcome.kind) { case 'completed': return ''; } }`,
    /not include 'undefined'|lacks ending return/,
  ],
  [
    'reads outputs before it knows',
    `const outcome = await orb.run('a.b@1.0.0', {}); outcome.outputs;`,
    /Property 'outputs' does not exist/,
  ],
  [
    'uses a typed Orb',
    `${typed}const done = (await orb.run('notify.email@1.0.0', { to: 'a' })).orThrow(); const id: string = done.outputs.message_id; id;`,
  ],
  [
    'gives wrong inputs to a typed Orb',
    `${typed}await orb.run('notify.email@1.0.0', { to: 1 });`,
    /'number' is not assignable to type 'string'/,
  ],
  ['leaves out inputs of a typed Orb', `${typed}await orb.run('notify.email@1.0.0', {});`, /Property 'to' is missing/],
  [
    'gives inputs that a typed Orb does not have',
    `${typed}await orb.run('notify.email@1.0.0', { to: 'a', bcc: 'b' });`,
    /'bcc' does not exist/,
  ],
  [
    'gives undefined to a member that may be absent',
    `${typed}await orb.run('notify.email@1.0.0', { to: 'a', cc: undefined });`,
    /exactOptionalPropertyTypes/,
  ],
  ['uses an Orb that no file names', `${typed}await orb.run('other.orb@1.0.0', { anything: 1 });`],
  [
    'uses an Orb that no strict file names',
    `${typed}${strict}await orb.run('other.orb@1.0.0', { anything: 1 });`,
    /is not assignable to parameter of type/,
  ],
  [
    'uses every method',
    `for await (const run of orb.runs.list({ status: 'failed' })) run['run_id'];
for await (const event of orb.events({ types: 'run.*', signal: AbortSignal.timeout(1) })) event.position;
for await (const part of orb.stream({ model: 'fast', messages: [] })) if (part.type === 'outcome') part.outcome.orThrow();
const queued = await orb.enqueue('a.b@1.0.0', {}, { runAt: '2026-01-01T00:00:00Z', key: undefined });
if (queued.kind === 'queued') await queued.result({ timeout: 5 });
const { call } = await orb.tools('anthropic');
(await call('x', {})).outcome.kind;
const checked = await verifyWebhook(new Headers(), 'x', { secrets: [] });
if (checked.ok) checked.data; else checked.reason;
const verdict = await verifyReceipt('x', { keys: [] });
if (verdict.verified) verdict.limits; else verdict.check;
(await orb.request('GET', '/runs', { query: { limit: 1 } })).body;`,
  ],
];

describe('the types of the TypeScript client', function () {
  this.timeout(60_000);
  let installed: Installed;
  before(async () => {
    installed = await installClient();
  });
  after(() => installed?.remove());

  const files = new Map<string, ts.SourceFile | undefined>();

  /** Lists what a strict compiler says of a program that uses the package. */
  const faultsOf = (code: string): string => {
    const path = join(packageDir, 'program.ts');
    const declarations = join(installed.folder, 'node_modules/agent-orb/index.d.ts');
    const options: ts.CompilerOptions = {
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
      ...{ noPropertyAccessFromIndexSignature: true, skipLibCheck: false, types: [] },
      paths: { 'agent-orb': [declarations] },
    };
    const host = ts.createCompilerHost(options);
    const { fileExists, getSourceFile, readFile } = host;
    host.readFile = (name) => (name === path ? head + code : readFile(name));
    host.fileExists = (name) => name === path || fileExists(name);
    // The declarations of the platforms are read once.
    host.getSourceFile = (name, ...rest) => {
      if (name === path) return getSourceFile(name, ...rest);
      const file = files.get(name) ?? getSourceFile(name, ...rest);
      files.set(name, file);
      return file;
    };
    const checked = ts.createProgram([path], options, host);
    const found = [path, declarations].flatMap((name) => [
      ...checked.getSyntacticDiagnostics(checked.getSourceFile(name)),
      ...checked.getSemanticDiagnostics(checked.getSourceFile(name)),
    ]);
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n');
  };

  for (const [name, code, fault] of programs)
    it(fault === undefined ? `let a program that ${name} compile` : `refuse a program that ${name}`, () => {
      const found = faultsOf(code);
      if (fault === undefined) expect(found).to.equal('');
      else expect(found).to.match(fault);
    });
});
