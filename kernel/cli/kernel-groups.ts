import type { CommandGroup } from './command.ts';

/** The groups of the kernel's commands. */
export const kernelGroups: readonly CommandGroup[] = [
  { name: 'serve', task: 'operate' },
  { name: 'config', task: 'operate', summary: 'check and reload the configuration' },
  { name: 'doctor', task: 'operate' },
  { name: 'backup', task: 'operate' },
  { name: 'restore', task: 'operate' },
  { name: 'store', task: 'operate', summary: 'measure, compact and move the store' },
  { name: 'completion', task: 'shell' },
];
