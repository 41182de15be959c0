import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { newRun, startReceipts } from '../harness.ts';
import { revoke, rotate } from '../signing-keys.ts';

// Changes every key under load until it is killed; says each receipt that it was told is there.
const [, , stateDir = ''] = process.argv;
const receipts = await startReceipts(stateDir, systemClock, fileURLToPath(new URL('./store.ts', import.meta.url)));
const said = openSync(join(stateDir, 'acknowledged'), 'a');
writeSync(said, 'started\n');
const say = ({ receipt_id: id }: { readonly receipt_id: string }): number => writeSync(said, `${id}\n`);
let on = true;
const load = Array.from({ length: 8 }, async () => {
  while (on) say(await receipts.attest(newRun()));
});
for (let round = 0; round < 3; round++) {
  const { kid } = await rotate(receipts, 'receipt');
  say(await rotate(receipts, 'log'));
  say(await rotate(receipts, 'certificate'));
  say(await revoke(receipts, kid, 'one round is over'));
}
on = false;
await Promise.all(load);
await receipts.stop();
