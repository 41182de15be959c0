import { defineCommand, type CommandCall, type Examination, type Finding } from '../../../kernel/index.ts';
import { painted } from '../../terminal/contract.ts';

const marks = { ok: '✓', warning: '!', fault: '✗', skipped: '-' } as const;
/** `orb doctor`: examines everything that can be wrong and says how to repair it. Exit 1 when something is wrong. */
export const doctor = defineCommand({
  path: 'doctor',
  summary:
    'check configuration, files, keys, clock, disk, store, log, policies and providers, and show how to fix problems',
  options: [
    {
      flag: '--live',
      description: 'ask only whether the server runs, as the health check of a container; exit code 1 if not',
    },
  ],
  async run(call) {
    if (call.options['live'] === true) return (await import('./server.ts')).checkLive(call);
    const findings: Finding[] = [];
    for (const examine of await examinations()) findings.push(...(await examine(call)));
    const sick = findings.some(({ state }) => state === 'fault');
    const lines = findings.map(({ state, name, detail, remedy }) => {
      const line = `${painted(state, call.screen, marks[state])} ${name}: ${detail}`;
      return remedy === undefined ? line : `${line}\n    ${remedy}`;
    });
    call.print({ healthy: !sick, findings }, lines.join('\n'));
    return sick ? 1 : 0;
  },
});

// Only this command needs them, a server does not.
async function examinations(): Promise<readonly Examination[]> {
  const { checkConfig } = await import('./config.ts');
  const { checkStateDir } = await import('./state-dir.ts');
  const { checkLog, checkStore } = await import('./store.ts');
  const { checkServer } = await import('./server.ts');
  return [checkConfig, checkStateDir, checkStore, checkLog, checkServer, checkPlugins];
}

/** Examines what the plugins of this home examine themselves. */
async function checkPlugins(call: CommandCall): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, examinations: own = [] } of await call.installation.plugins())
    for (const examine of own) findings.push(...(await examined(name, examine, call)));
  return findings;
}

async function examined(name: string, examine: Examination, call: CommandCall): Promise<readonly Finding[]> {
  try {
    return await examine(call);
  } catch (error) {
    const detail = `its check failed: ${error instanceof Error ? error.message : String(error)}`;
    return [{ name: `plugin ${name}`, state: 'fault', detail }];
  }
}
