import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { defineCommand, parseJson, type CommandCall, type Screen } from '../../../../kernel/index.ts';
import { painted, optionsOf } from '../../../terminal/contract.ts';
import type { CertificateReport } from '../format/report.ts';
import { readPin } from './read-pin.ts';

/** `orb certificate verify <file>`: verifies offline by a pinned issuer; fetches nothing that the certificate names. */
export const verifyCommand = defineCommand({
  path: 'certificate verify',
  summary: 'verify a certificate with a pinned issuer and saved status lists',
  args: [{ name: 'file', description: 'a certificate as `orb certificate get` prints it; - reads standard input' }],
  options: optionsOf({
    '--issuer <did>': 'the issuer to trust; for a did:web without --keys, its keys are read from that host',
    '--keys <file>': 'the public keys to trust (default: jwks.json of the state dir)',
    '--status-list <file>': {
      description: 'a saved status list; give one for revocation and one for suspension',
      repeat: true,
    },
  }),
  async run(call) {
    const content = await readText(call.args[0] ?? '-');
    if (content === undefined) return unreadable(call.args[0] ?? '-', call);
    const named = call.options['statusList'];
    const files = Array.isArray(named) ? named.map(String) : [];
    const lists = await Promise.all(files.map(readText));
    const missing = files.find((_, at) => lists[at] === undefined);
    if (missing !== undefined) return unreadable(missing, call);
    const pin = await readPin(call);
    if (pin === 'unusable') return 3;
    const { statusByLists } = await import('../verifier/list-files.ts');
    const { verifyCertificate } = await import('../verifier/verify.ts');
    // The verifier's own clock, never a time from the certificate.
    const now = Date.now();
    const status = statusByLists(
      lists.map((list) => parsed(list ?? '')),
      now,
    );
    const report = verifyCertificate(parsed(content), { pin, now, status });
    call.print(report, show(report, call.screen));
    return report.exit;
  },
});

function unreadable(path: string, { note }: CommandCall): number {
  note(`cannot read the file ${path}`);
  return 3;
}

function readText(path: string): Promise<string | undefined> {
  return path === '-' ? text(process.stdin) : readFile(path, 'utf8').catch(() => undefined);
}

// JSON that the strict reader refuses does not have the form of a certificate either.
function parsed(content: string): unknown {
  try {
    return parseJson(content);
  } catch {
    return undefined;
  }
}

const words = { pass: 'pass', fail: 'FAIL', not_checked: 'not checked' } as const;

function show({ checks, overall, values }: CertificateReport, screen: Screen | undefined): string {
  const lines = checks.map(
    ({ name, result, detail }) =>
      plain(name.padEnd(20)) +
      painted(result, screen, words[result]) +
      (detail === undefined ? '' : `: ${plain(detail)}`),
  );
  const read = Object.entries(values ?? {}).map(([name, value]) => plain(`  ${name.padEnd(20)}${value}`));
  return [...lines, ...(read.length === 0 ? [] : ['', ...read]), '', painted(overall, screen)].join('\n');
}

// The details may quote untrusted text, and a terminal executes control characters.
function plain(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}
