import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { defineCommand, type CommandCall } from '../../../kernel/index.ts';
import { keyFile } from '../key-file.ts';
import { parsePolicy } from '../log/policy-file.ts';
import { keepSeen, readSeen } from '../seen-file.ts';
import type { Report } from '../verifier/report.ts';
import { readTrust, type Trust } from '../verifier/trust.ts';
import { verify } from '../verifier/verify.ts';

/** `orb receipts verify <file>`: verifies offline and answers the exit code of the report; needs no server. */
export const verifyCommand = defineCommand({
  path: 'receipts verify',
  summary: 'verify a receipt offline, with nothing but the public keys',
  args: [{ name: 'file', description: 'a receipt or a DSSE envelope as JSON; - reads standard input' }],
  options: [
    { flag: '--keys <file>', description: 'the public keys to trust (default: jwks.json of the state dir)' },
    {
      flag: '--policy <file>',
      description: 'logs and witnesses to trust (tlog-policy; default: the log keys of --keys)',
    },
    { flag: '--proof <file>', description: 'the .tlog-proof file of an artefact that holds no proof' },
    { flag: '--unlogged', description: 'accept, within limits, what cannot be checked without the log' },
  ],
  async run(call) {
    const trust = await readPinned(call);
    const artefact = await readArtefact(call.args[0] ?? '-', call);
    const proof = await readProof(call);
    if (trust === undefined || artefact === undefined || proof === undefined) return 3;
    const seen = await readSeen(call.stateDir);
    const { checkpoint, ...report } = verify(artefact, trust, {
      ...proof,
      unlogged: call.options['unlogged'] === true,
      lastSeen: (origin) => seen.get(origin),
    });
    if (checkpoint !== undefined) await keepSeen(call.stateDir, checkpoint);
    call.print(report, show(report));
    return report.exit;
  },
});

async function readPinned(call: CommandCall): Promise<Trust | undefined> {
  const { keys, policy } = call.options;
  const trust = await readKeys(typeof keys === 'string' ? keys : join(call.stateDir, keyFile), call);
  if (trust === undefined || typeof policy !== 'string') return trust;
  const content = await readFile(policy, 'utf8').catch(() => undefined);
  const parsed = content === undefined ? undefined : parsePolicy(content);
  if (parsed !== undefined) return { ...trust, policy: parsed };
  call.note(`cannot read the file ${policy} as a tlog-policy`);
  return undefined;
}

async function readProof({ note, options }: CommandCall): Promise<{ readonly proof?: string } | undefined> {
  const { proof: path } = options;
  if (typeof path !== 'string') return {};
  const proof = await readFile(path, 'utf8').catch(() => undefined);
  if (proof === undefined) note(`cannot read the file ${path}`);
  return proof === undefined ? undefined : { proof };
}

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
