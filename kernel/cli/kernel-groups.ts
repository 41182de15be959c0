import type { CommandGroup } from './command/command.ts';

/** The groups of the kernel's commands, and those to which several plugins add commands. */
export const kernelGroups: readonly CommandGroup[] = [
  { name: 'serve', task: 'operate' },
  { name: 'config', task: 'operate', summary: 'check and reload the configuration' },
  { name: 'store', task: 'operate', summary: 'measure, compact and move the store' },
  { name: 'completion', task: 'shell' },
];
