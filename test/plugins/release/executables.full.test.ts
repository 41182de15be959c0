import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageDir } from '../../helpers/folder.ts';
import { send } from '../../helpers/http.ts';
import { need } from '../../helpers/needs.ts';
import { createServed, type Served } from '../../helpers/served.ts';
import { build, built } from './built.ts';

const qemu = ['/usr/bin/qemu-aarch64-static', '-L', join(packageDir, 'dist/arm64')];
const started = { 'linux-x64': [], 'linux-arm64': qemu } as const;

describe('the executables of a release', function () {
  this.timeout(300_000);
  before(function () {
    build(this, 'executables');
  });

  for (const [target, within] of Object.entries(started))
    describe(target, () => {
      let served: Served | undefined;
      before(function () {
        if (within.length > 0) need(this, 'qemu');
      });
      after(async () => {
        await served?.remove();
      });

      it('starts, serves, executes a run whose receipt verifies, and drains on SIGTERM', async () => {
        const executable = join(built.work, 'executables', target, 'orb');
        served = createServed({}, { executable, within });
        const { key, url } = await served.start();
        const inputs = { to: 'ada@example.com', from_address: 'orb@example.com', subject: 'hello', body: 'It works.' };
        const call = { key, json: { orb_id: 'notify.email@1.0.0', inputs } };
        // Without the processor that it is built for, the first decisions take longer than they may.
        let answer = await send(url, '/orbisets/default/execute', call);
        for (let tries = 0; answer.json['code'] === 'policy_unavailable' && tries < 20; tries += 1)
          answer = await send(url, '/orbisets/default/execute', call);
        const { json, status, text } = answer;
        expect(status, text).to.equal(200);
        const { receipt_id } = json['receipt'] as { readonly receipt_id: string };
        const receipt = join(served.home, 'receipt.json');
        writeFileSync(receipt, (await send(url, `/receipts/${receipt_id}`, { key })).text);
        expect((await send(url, '/docs', { key })).status, 'the files that it unpacks').to.equal(200);
        expect(await served.stop()).to.equal(0);
        // Without the server, and without a PATH.
        const [command = '', ...words] = [...within, executable, 'receipts', 'verify', receipt];
        const verified = spawnSync(command, words, { cwd: served.home, env: { ORB_URL: url }, encoding: 'utf8' });
        expect([verified.status, verified.stdout.trim().split('\n').at(-1)], verified.stderr).to.deep.equal([
          0,
          'VERIFIED',
        ]);
      });
    });
});
