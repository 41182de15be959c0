import type { PostgresAddress } from '../../../plugins/postgres/connection/address.ts';
import { moveBack } from '../../../plugins/postgres/move/back.ts';
import crate from './crate.ts';

// Moves the store at the address in argv[3] into a file of the folder in argv[2], and is killed at the step in argv[4];
// `copying` is in the middle of the rows.
const [, , stateDir = '', address = '', last = ''] = process.argv;
const kill = (step: string): void => {
  if (step === last) process.kill(process.pid, 'SIGKILL');
};
await moveBack({
  ...{
    stateDir,
    address: JSON.parse(address) as PostgresAddress,
    masterKey: process.env['ORB_MASTER_KEY'],
    modules: [crate],
    now: 0,
  },
  check: () => Promise.resolve(),
  tell: () => undefined,
  tellRows: () => kill('copying'),
  onStep: kill,
});
