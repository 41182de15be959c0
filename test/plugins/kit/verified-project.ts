import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { shippedProgram } from '../../helpers/program.ts';
import type { VerifyReport } from '../../../plugins/kit/verify/report.ts';

/** The secret that projects are verified with. */
export const token = 'tok-7d1f4a2c';

/** How a verification has ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
  readonly report: VerifyReport | undefined;
  /** Checks that failed: title and detail in one text. */
  readonly failed: readonly string[];
}

type Verify = (env?: Record<string, string>, ...args: string[]) => Promise<Ended>;

/** A home with the project of an adapter, made by the scaffold. */
export interface Project {
  readonly home: string;
  readonly folder: string;
  settings(change: (given: Record<string, unknown>) => void): void;
  edit(...changes: readonly (readonly [from: string | RegExp, to: string])[]): void;
  readonly verify: Verify;
}

/** The project in a home. */
export function projectOf(home: string): Project {
  const folder = join(home, 'ext/email-acme');
  return {
    home,
    folder,
    settings(change) {
      const path = join(folder, 'verify.json');
      const given = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
      change(given);
      writeFileSync(path, JSON.stringify(given));
    },
    edit(...changes) {
      const path = join(folder, 'index.ts');
      let source = readFileSync(path, 'utf8');
      for (const [from, to] of changes) {
        const next = source.replace(from, to);
        expect(next, String(from)).to.not.equal(source);
        source = next;
      }
      writeFileSync(path, source);
    },
    async verify(env = { ACME_TOKEN: token }, ...args) {
      const words = ['provider', 'verify', ...(args.length === 0 ? ['ext/email-acme'] : args), '--json'];
      const child = spawn(process.execPath, [shippedProgram, ...words], { cwd: home, env });
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
      const start = out.indexOf('{\n');
      const report = start < 0 ? undefined : (JSON.parse(out.slice(start)) as VerifyReport);
      const failed = (report?.checks ?? []).filter(({ status }) => status === 'failed');
      return {
        code: await ended,
        out,
        errors,
        report,
        failed: failed.map(({ title, detail }) => `${title} | ${detail}`),
      };
    },
  };
}
