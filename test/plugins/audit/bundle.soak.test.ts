import { expect } from 'chai';
import { bundleFiles } from '../../../plugins/audit/bundle.ts';
import { verifyBundle } from '../../../plugins/audit/verify.ts';
import { tar, type ReceiptArchive } from '../../../plugins/receipts/contract.ts';
import { readTrust } from '../../../plugins/receipts/verifier/trust.ts';
import { verifySignature } from '../../../plugins/receipts/format/ed25519.ts';
import type { Reply } from '../../../kernel/index.ts';
import { newRun, startReceipts, temporaryDir } from '../receipts/harness.ts';

const runs = Number(process.env['AUDIT_RUNS'] ?? 100_000);
const mebibyte = 1024 ** 2;

describe(`the evidence of ${runs} runs`, function () {
  this.timeout(3_600_000);

  it('is exported and verified in bounded memory', async () => {
    const dir = temporaryDir();
    const receipts = await startReceipts(dir.path);
    for (let done = 0; done < runs; done += 500)
      await Promise.all(Array.from({ length: Math.min(500, runs - done) }, () => receipts.attest(newRun())));
    const keys = ((await receipts.call('/.well-known/jwks.json', {})) as Reply).body;
    const trust = readTrust(JSON.stringify(keys)) ?? expect.fail('no keys');
    const at = new Date(Date.now() + 1000).toISOString();
    const files = bundleFiles({
      receipts: receipts.services['receiptArchive'] as ReceiptArchive,
      runtime: { catalog: { orbs: new Map(), orbisets: new Map() } },
      most: runs * 2,
      installation: receipts.store.installation,
      asked: { from: '2020-01-01T00:00:00.000Z', to: at, scopes: ['*'] },
      at,
    });
    const heap: number[] = [];
    let bytes = 0;
    const counted = (async function* () {
      let chunks = 0;
      for await (const chunk of tar(files, Math.floor(Date.parse(at) / 1000))) {
        bytes += chunk.length;
        if (++chunks % 500 === 0) heap.push(process.memoryUsage().heapUsed);
        yield chunk;
      }
    })();
    const report = await verifyBundle(counted, trust, { verifySignature });
    expect([report.fault, report.exit, report.verified]).to.deep.equal([undefined, 0, report.receipts]);
    expect(report.receipts).to.be.at.least(runs);
    const fifth = Math.ceil(heap.length / 5);
    const [early, late] = [heap.slice(0, fifth), heap.slice(-fifth)].map((part) => Math.min(...part) / mebibyte);
    console.log(`    ${report.receipts} receipts, ${Math.round(bytes / mebibyte)} MiB; heap ${early} to ${late} MiB`);
    expect((late ?? Infinity) - (early ?? 0)).to.be.below(64);
    await receipts.stop();
    dir.remove();
  });
});
