import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../../../kernel/tools/clock.ts';
import { newRun, startReceipts } from '../harness.ts';

// Attests in batches of several sizes until it is killed; says each receipt that it was told is there.
const [, , stateDir = ''] = process.argv;
const receipts = await startReceipts(stateDir, systemClock, fileURLToPath(new URL('./store.ts', import.meta.url)));
const said = openSync(join(stateDir, 'acknowledged'), 'a');
writeSync(said, 'started\n');
for (const size of [1, 5, 240, 40, 300]) {
  await Promise.all(
    Array.from({ length: size }, async () => {
      const { receipt_id: id } = await receipts.attest(newRun());
      writeSync(said, `${id}\n`);
    }),
  );
}
await receipts.stop();
