import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../error.ts';
import { shownReport } from '../kit/verify/report.ts';
import { readSettings } from '../kit/verify/settings.ts';
import { adapterFile, settingsFile } from '../kit/verify/subject.ts';
import { verifyProvider } from '../kit/verify/verify.ts';
import { defineCommand, type Command } from './command.ts';
import { painted } from './output/meaning.ts';
import type { Builtin } from '../boot/loaded.ts';

/** Makes `orb provider verify`: exit 0 when the adapter conforms, 1 when not, 78 when it cannot be verified. */
export function providerVerify(builtin: Builtin): Command {
  return defineCommand({
    path: 'provider verify',
    summary: 'load an adapter and run the conformance suite on it',
    args: [{ name: 'path', description: 'the file of the adapter, or a folder with index.ts' }],
    options: [
      {
        flag: '--config <file>',
        description: 'settings of the verification; default: verify.json next to the adapter',
      },
      { flag: '--report <file>', description: 'write the report to this file, as JSON' },
    ],
    async run({ args: [path = ''], options, env, print, screen }) {
      const file = adapterFile(path);
      if (file === undefined) throw new ConfigError([`${path}is neither a file nor a folder with index.ts`]);
      const given = options['config'];
      const from = typeof given === 'string' ? resolve(given) : settingsFile(file);
      const settings = readSettings(from, typeof given === 'string' ? given : 'verify.json');
      const report = await verifyProvider(file, settings, { builtin, env });
      const { report: to } = options;
      if (typeof to === 'string') writeFileSync(resolve(to), `${JSON.stringify(report, null, 2)}\n`);
      print(
        report,
        shownReport(report, (state, text) => painted(state, screen, text)),
      );
      if (!report.conforms) endSoon();
      return report.conforms ? 0 : 1;
    },
  });
}

// Resources that a leaking adapter left open would keep the process alive for ever; an idle process ends before this
// timer.
function endSoon(): void {
  setTimeout(() => process.exit(), 1000).unref();
}
