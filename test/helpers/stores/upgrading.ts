// Upgrades the store in the folder of its first argument, and kills itself before the step of its second, from 1.
import { join } from 'node:path';
import { builtinStores } from '../../../plugins/stores.ts';
import { openWriting } from '../../../kernel/store/sqlite/database.ts';
import { upgrade } from '../../../kernel/store/sqlite/upgrade.ts';

const [folder = '', last] = process.argv.slice(2);
let step = 0;
upgrade(openWriting(join(folder, 'store.db')), builtinStores, {
  stateDir: folder,
  now: 0,
  tell() {
    if (++step === Number(last)) process.kill(process.pid, 'SIGKILL');
  },
});
