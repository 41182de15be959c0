import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { defineCommand, type CommandCall } from '../../../kernel/index.ts';
import { keyFile } from '../key-file.ts';
import type { Report } from '../verifier/report.ts';
import { readTrust, type Trust } from '../verifier/trust.ts';
import { verify } from '../verifier/verify.ts';

/** `orb receipts verify <file>`: verifies offline and answers the exit code of the report; needs no server. */
export const verifyCommand = defineCommand({
  path: 'receipts verify',
  summary: 'verify a receipt offline, with nothing but the public keys',
  args: [{ name: 'file', description: 'a receipt or a DSSE envelope as JSON; - reads standard input' }],
  options: [{ flag: '--keys <file>', description: 'the public keys to trust (default: jwks.json of the state dir)' }],
  async run(call) {
    const path = typeof call.options['keys'] === 'string' ? call.options['keys'] : join(call.stateDir, keyFile);
    const trust = await readKeys(path, call);
    const artefact = await readArtefact(call.args[0] ?? '-', call);
    if (trust === undefined || artefact === undefined) return 3;
    const report = verify(artefact, trust);
    call.print(report, show(report));
    return report.exit;
  },
});

async function readKeys(path: string, { note }: CommandCall): Promise<Trust | undefined> {
  const content = await readFile(path, 'utf8').catch(() => undefined);
  if (content === undefined) {
    note(`cannot read the keys file ${path}: name one with --keys, e.g. a saved copy of /.well-known/jwks.json`);
    return undefined;
  }
  const trust = readTrust(content);
  if (trust === undefined) note(`the keys file ${path} is not a JWK Set`);
  return trust;
}

async function readArtefact(path: string, { note }: CommandCall): Promise<string | undefined> {
  if (path === '-') return text(process.stdin);
  const content = await readFile(path, 'utf8').catch(() => undefined);
  if (content === undefined) note(`cannot read the file ${path}`);
  return content;
}

const words = { pass: 'pass', fail: 'FAIL', not_checked: 'not checked' } as const;

function show({ checks, hint, limits, overall, values }: Report): string {
  const lines = checks.map(({ detail, name, result }) => {
    return `${name.padEnd(24)}${words[result]}${detail === undefined ? '' : `: ${detail}`}`;
  });
  if (values !== undefined) {
    lines.push('', 'from the signed payload:');
    lines.push(...Object.entries(values).map(([name, value]) => `  ${name.padEnd(14)}${plain(String(value))}`));
  }
  if (hint !== undefined) lines.push(hint);
  lines.push('', ...limits, overall);
  return lines.join('\n').trimStart();
}

// Text of a statement may come from anywhere; a terminal obeys control characters.
function plain(value: string): string {
  return value.replace(/\p{C}/gu, '?');
}
