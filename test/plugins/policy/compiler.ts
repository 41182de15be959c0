import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../helpers/folder.ts';
import { hasTool, leaveOut } from '../../helpers/needs.ts';
import { distPath } from '../../../plugins/policy/toolchain/locate.ts';

/** Says whether there is a compiler, or Go to build it with. */
export function hasCompiler(): boolean {
  return existsSync(distPath()) || hasTool('go');
}

/** Leaves out what runs in `context` where there can be no compiler. */
export function needCompiler(context: Mocha.Context): void {
  if (!hasCompiler()) leaveOut(context, 'go');
}

/** Gives the path of the compiler; builds it the first time. Leaves the suite out where there is no Go. */
export function compilerOrSkip(suite: Mocha.Context): string {
  patient(suite);
  needCompiler(suite);
  if (!existsSync(distPath())) {
    suite.timeout(900_000);
    const script = join(packageDir, 'plugins/policy/toolchain/build-compiler.ts');
    execFileSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return distPath();
}

// The compiler needs some seconds of a processor to start: on a machine that has none to spare, a minute.
function patient(suite: Mocha.Context): void {
  suite.timeout(120_000);
  const hook: Mocha.Runnable | undefined = suite.test;
  hook?.parent?.eachTest((test) => {
    // Of one that is over, mocha would start the clock again.
    if (test.state === undefined) test.timeout(Math.max(test.timeout(), 120_000));
  });
}
