import { definePlugin } from '../../kernel/index.ts';
import { addressForm, readAddresses, schemes } from './connection/address.ts';
import { examineDatabase } from './examination.ts';
import { storeMove } from './move/command.ts';

// The threads of a store on PostgreSQL import it; a store in a file loads nothing of it.
const module = new URL('./engine.ts', import.meta.url).href;

/** The store in a PostgreSQL database, which several nodes may share. */
export default definePlugin({
  name: 'postgres',
  engines: [{ schemes, form: addressForm, module, readAddress: readAddresses }],
  commands: [storeMove],
  examinations: [examineDatabase],
  start: () => ({}),
});
