import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statementKinds } from '../statements.ts';
import type { BuildScope } from './scope.ts';
import { zip } from './zip.ts';

const own = 'plugins/clients/python';
const requires = ['httpx>=0.28,<1', 'cryptography>=42'];

/** Builds the wheel of the Python client (PEP 427): the modules, the retry table, the shapes of statements. */
export function pythonPackage(scope: BuildScope): Uint8Array {
  const { root, version } = scope;
  const text = (path: string): string => readFileSync(join(root, path), 'utf8');
  const about = `agent_orb-${version}.dist-info`;
  const modules = readdirSync(join(root, own, 'src/agent_orb'))
    .filter((name) => /\.(?:py|typed)$/.test(name))
    .sort();
  const files = [
    ...modules.map((name) => [`agent_orb/${name}`, text(`${own}/src/agent_orb/${name}`)] as const),
    ['agent_orb/retry.json', text('plugins/clients/retry/retry.json')] as const,
    ['agent_orb/words.json', text('plugins/clients/retry/words.json')] as const,
    ['agent_orb/statements.json', `${JSON.stringify(statementKinds())}\n`] as const,
    [`${about}/METADATA`, metadata(scope, text(`${own}/README.md`))] as const,
    [`${about}/WHEEL`, wheel] as const,
    [`${about}/licenses/LICENSE`, text('LICENSE')] as const,
  ];
  const lines = files.map(([path, content]) => `${path},sha256=${digestOf(content)},${Buffer.byteLength(content)}\n`);
  const record = `${about}/RECORD`;
  return zip(
    [...files, [record, `${lines.join('')}${record},,\n`] as const].map(([path, content]) => ({ path, content })),
  );
}

const wheel = 'Wheel-Version: 1.0\nGenerator: agent-orb-platform\nRoot-Is-Purelib: true\nTag: py3-none-any\n';

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url');
}

function metadata({ license, version }: BuildScope, readme: string): string {
  const head = [
    ...['Metadata-Version: 2.4', 'Name: agent-orb', `Version: ${version}`],
    'Summary: Runs Orbs of an Agent Orb Platform, and verifies every receipt.',
    ...[`License-Expression: ${license}`, 'License-File: LICENSE', 'Requires-Python: >=3.10'],
    ...requires.map((one) => `Requires-Dist: ${one}`),
    ...['Classifier: Typing :: Typed', 'Description-Content-Type: text/markdown'],
  ];
  return `${head.join('\n')}\n\n${readme}`;
}
