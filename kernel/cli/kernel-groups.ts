import type { CommandGroup } from './command/command.ts';

/** The groups of the kernel's commands, and those to which several plugins add commands. */
export const kernelGroups: readonly CommandGroup[] = [
  { name: 'serve', task: 'operate' },
  { name: 'config', task: 'operate', summary: 'check and reload the configuration' },
  { name: 'providers', task: 'operate', summary: 'show and swap providers' },
  { name: 'nodes', task: 'operate' },
  { name: 'store', task: 'operate', summary: 'measure, compact and move the store' },
  { name: 'run', task: 'run' },
  { name: 'runs', task: 'run', summary: 'list, cancel and resolve runs' },
  { name: 'events', task: 'observe', summary: 'show events as they happen' },
  { name: 'orbs', task: 'build', summary: 'list, change and sign Orbs' },
  { name: 'orbisets', task: 'build', summary: 'list and change Orbisets' },
  { name: 'completion', task: 'shell' },
];
