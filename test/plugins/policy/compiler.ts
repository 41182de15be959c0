import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageDir } from '../../../kernel/boot/config.ts';
import { distPath } from '../../../plugins/policy/toolchain/locate.ts';

/** Says why there can be no compiler here, or undefined. */
export function withoutCompiler(): string | undefined {
  if (existsSync(distPath())) return undefined;
  return spawnSync('go', ['version']).status === 0 ? undefined : 'Go is not on PATH: the policy compiler is left out';
}

/** Gives the path of the compiler; builds it the first time. Skips the suite, saying so, where there is no Go. */
export function compilerOrSkip(suite: Mocha.Context): string {
  patient(suite);
  const reason = withoutCompiler();
  if (reason !== undefined) {
    console.log(`      left out: ${reason}`);
    suite.skip();
  }
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
