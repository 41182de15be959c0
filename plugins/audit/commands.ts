import { createReadStream } from 'node:fs';
import { defineCommand, type Command } from '../../kernel/index.ts';
import { painted, saveDownload, Shown } from '../terminal/contract.ts';
import { readPinned, showFolder, trustOptions } from '../receipts/contract.ts';
import type { BundleReport } from './verify.ts';

const exportCommand = defineCommand({
  path: 'audit export',
  summary: 'save the evidence of a time as one signed archive: receipts, decisions, policies, incidents',
  options: [
    {
      flag: '--from <time>',
      description: 'from this time on: 30d (ago), 2026-01-31 (UTC) or RFC 3339; required',
      time: 'past',
    },
    { flag: '--to <time>', description: 'before this time (default: now)', time: 'past' },
    { flag: '--tenant <name>', description: 'only this tenant' },
    { flag: '--out <file>', description: 'target file; - is standard output', default: 'evidence.tar' },
  ],
  async run({ bar, client, note, options, print }) {
    const asked = (['from', 'to', 'tenant'] as const).flatMap((name) => {
      const value = options[name];
      return typeof value === 'string' ? [[name, value] as [string, string]] : [];
    });
    if (options['from'] === undefined) {
      note('--from is required: the first time of the evidence, such as 30d or 2026-01-31');
      return 2;
    }
    const parts = await client().download(`/audit/export?${new URLSearchParams(asked).toString()}`);
    const out = String(options['out'] ?? 'evidence.tar');
    const bytes = await saveDownload(out, parts, bar?.count(out));
    if (bytes === undefined) return 0;
    note(`orb audit verify ${out} --keys <pinned jwks.json>`);
    print({ file: out, bytes }, `${out}: ${bytes} bytes`);
    return 0;
  },
});

const verifyCommand = defineCommand({
  path: 'audit verify',
  summary: 'verify an archive of evidence offline, with only the public keys',
  args: [{ name: 'file', description: 'the archive that `orb audit export` saved; - reads standard input' }],
  options: [
    ...trustOptions,
    { flag: '--allow-revoked', description: 'receipts whose key was revoked are a limit, not a failure' },
  ],
  async run(call) {
    const trust = await readPinned(call);
    const path = call.args[0] ?? '-';
    if (trust === undefined) return 3;
    const source = path === '-' ? process.stdin : createReadStream(path);
    const allowRevoked = call.options['allowRevoked'] === true;
    const { verifyBundle } = await import('./verify.ts');
    const report = await verifyBundle(source, trust, { allowRevoked, progress: call.bar?.part(path) }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === undefined) throw error;
        call.note(`cannot read the file ${path}`);
      },
    );
    if (report === undefined) return 3;
    call.print(report, shown(report).on(call.screen));
    return report.exit;
  },
});

function shown({ bundle, fault, ...report }: BundleReport): Shown {
  return new Shown((screen) => {
    const lines = fault === undefined ? [] : [`${painted('fail', screen, 'FAIL')}: ${plain(fault)}`];
    if (bundle !== undefined)
      lines.push(
        `evidence of ${plain(bundle.installation)}, ${plain(bundle.tenant ?? 'all tenants')}, from ${bundle.from} until before ${bundle.to}`,
        `exported at ${bundle.exported_at}, ${bundle.files} files, signed by ${bundle.kid}`,
      );
    return [...lines, showFolder(report).on(screen)].join('\n');
  });
}

// A terminal would execute control characters.
function plain(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}

/** All commands of evidence. */
export const auditCommands: readonly Command[] = [exportCommand, verifyCommand];
