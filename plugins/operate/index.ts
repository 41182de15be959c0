import { definePlugin, grouped } from '../../kernel/index.ts';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import { completion } from './completion/completion.ts';
import { configCheck } from './configuration.ts';
import { manual } from './completion/manual.ts';
import { doctor } from './doctor/doctor.ts';
import { storeCompact } from './store/compact.ts';
import { storeSize } from './store/size.ts';

/** Commands for operators: what is wrong with a server, copies of its store, and how much room it takes. */
export default definePlugin({
  name: 'operate',
  commands: grouped(
    [
      { name: 'config', task: 'operate', summary: 'check and reload the configuration' },
      { name: 'store', task: 'operate', summary: 'measure, compact and move the store' },
      { name: 'completion', task: 'shell' },
      { name: 'man', task: 'shell' },
      { name: 'doctor', task: 'operate' },
      { name: 'backup', task: 'operate' },
      { name: 'restore', task: 'operate' },
    ],
    [configCheck, completion, manual, doctor, backup, restore, storeSize, storeCompact],
  ),
  start: () => ({}),
});
