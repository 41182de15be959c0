import type { PostgresAddress } from '../../../plugins/postgres/connection/address.ts';
import { moveStore } from '../../../plugins/postgres/move/move.ts';
import crate from './crate.ts';

// Moves the store of the folder in argv[2] to the address in argv[3], and is killed at the step in argv[4]; `copying` is
// in the middle of the rows.
const [, , stateDir = '', address = '', last = ''] = process.argv;
const kill = (step: string): void => {
  if (step === last) process.kill(process.pid, 'SIGKILL');
};
let parts = 0;
await moveStore({
  ...{ stateDir, address: JSON.parse(address) as PostgresAddress, masterKey: undefined, modules: [crate], now: 0 },
  check: () => Promise.resolve(),
  tell: () => undefined,
  tellRows: () => kill(++parts === 2 ? 'copying' : ''),
  onStep: kill,
});
