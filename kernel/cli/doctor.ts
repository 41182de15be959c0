import { defineCommand, type Command, type Examination, type Finding } from './command.ts';
import { keptBy } from './backup.ts';
import { checkConfig } from './doctor/config.ts';
import { checkPlugins } from './doctor/plugins.ts';
import { checkServer } from './doctor/server.ts';
import { checkStateDir } from './doctor/state-dir.ts';
import { checkLog, checkStore } from './doctor/store.ts';
import { painted } from './output/meaning.ts';
import type { Builtin } from '../boot/loaded.ts';

const marks = { ok: '✓', warning: '!', fault: '✗', skipped: '-' } as const;

/**
 * Makes `orb doctor`: examines everything that can be wrong and says how to repair it. Exit 1 when something is wrong.
 */
export function doctor(builtin: Builtin): Command {
  const kept = keptBy(builtin.plugins);
  return defineCommand({
    path: 'doctor',
    summary:
      'check configuration, files, keys, clock, disk, store, log, policies and providers, and show how to fix problems',
    async run(call) {
      const examinations: readonly Examination[] = [
        checkConfig(builtin),
        checkStateDir,
        checkStore,
        ...(kept.length === 0 ? [] : [checkLog(kept)]),
        checkServer,
        checkPlugins(builtin),
      ];
      const findings: Finding[] = [];
      for (const examine of examinations) findings.push(...(await examine(call)));
      const sick = findings.some(({ state }) => state === 'fault');
      const lines = findings.map(({ state, name, detail, remedy }) => {
        const line = `${painted(state, call.screen, marks[state])} ${name}: ${detail}`;
        return remedy === undefined ? line : `${line}\n    ${remedy}`;
      });
      call.print({ healthy: !sick, findings }, lines.join('\n'));
      return sick ? 1 : 0;
    },
  });
}
