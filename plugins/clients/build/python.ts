import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { zip } from '../../kit/packages/zip.ts';
import type { BuildScope } from './scope.ts';

const own = 'plugins/clients/python';

/** Builds the wheel of the Python client (PEP 427): the modules, the retry table, the shapes of statements. */
export function pythonPackage(scope: BuildScope): Uint8Array {
  const { root, text, version } = scope;
  const about = `agent_orb-${version}.dist-info`;
  const modules = readdirSync(join(root, own, 'src/agent_orb')).filter((name) => /\.(?:py|typed)$/.test(name));
  const files: Readonly<Record<string, string>> = {
    ...Object.fromEntries(modules.sort().map((name) => [`agent_orb/${name}`, text(`${own}/src/agent_orb/${name}`)])),
    'agent_orb/retry.json': text('plugins/clients/retry/retry.json'),
    'agent_orb/words.json': text('plugins/clients/retry/words.json'),
    'agent_orb/statements.json': text('plugins/clients/statements.json'),
    [`${about}/METADATA`]: metadata(scope),
    [`${about}/WHEEL`]: wheel,
    [`${about}/licenses/LICENSE`]: text('LICENSE'),
  };
  const record = Object.entries(files).map(
    ([path, content]) => `${path},sha256=${hash('sha256', content, 'base64url')},${Buffer.byteLength(content)}\n`,
  );
  const listed = { ...files, [`${about}/RECORD`]: `${record.join('')}${about}/RECORD,,\n` };
  return zip(Object.entries(listed).map(([path, content]) => ({ path, content })));
}

const wheel = 'Wheel-Version: 1.0\nGenerator: agent-orb-platform\nRoot-Is-Purelib: true\nTag: py3-none-any\n';

function metadata({ license, text, version }: BuildScope): string {
  const head = [
    ...['Metadata-Version: 2.4', 'Name: agent-orb', `Version: ${version}`],
    'Summary: Runs Orbs of an Agent Orb Platform, and verifies every receipt.',
    ...[`License-Expression: ${license}`, 'License-File: LICENSE', 'Requires-Python: >=3.10'],
    ...['Requires-Dist: httpx>=0.28,<1', 'Requires-Dist: cryptography>=42'],
    ...['Classifier: Typing :: Typed', 'Description-Content-Type: text/markdown'],
  ];
  return `${head.join('\n')}\n\n${text(`${own}/README.md`)}`;
}
