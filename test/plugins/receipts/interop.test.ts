import { execFileSync, spawnSync } from 'node:child_process';
import { expect } from 'chai';
import type { Reply } from '../../../kernel/index.ts';
import type { ReceiptDocument } from '../../../plugins/receipts/contract.ts';
import { buildLogChecker } from '../../interop/log-checker.ts';
import { newRun, startReceipts, temporaryDir, type Harness } from './harness.ts';
import { leaveOut } from '../../helpers/needs.ts';

const admin = { tenant: 'default', scopes: ['*'] };

describe('libraries that are not ours (Go: x/mod/sumdb/note, x/mod/sumdb/tlog)', () => {
  let dir: ReturnType<typeof temporaryDir>;
  let receipts: Harness;
  let binary: string;

  before(async function () {
    this.timeout(180_000);
    dir = temporaryDir();
    const built = buildLogChecker(dir.path);
    if (built === undefined) {
      dir.remove();
      leaveOut(this, 'go');
    }
    binary = built;
    receipts = await startReceipts(dir.path);
  });
  after(async () => {
    await (receipts as Harness | undefined)?.stop();
    if (receipts !== undefined) dir.remove();
  });

  const answer = async (path: string, query = {}): Promise<unknown> =>
    ((await receipts.call(path, {}, {}, query)) as Reply).body;

  async function inputOf(id: string, from: number): Promise<Record<string, unknown>> {
    const read = (query: object) => receipts.call('/receipts/{receipt_id}', { receipt_id: id }, admin, query);
    const { proof } = (await read({})) as ReceiptDocument;
    return {
      vkey: await answer('/log/vkey'),
      checkpoint: await answer('/log/checkpoint'),
      proof_file: ((await read({ format: 'tlog-proof' })) as Reply).body,
      entry: proof?.leaf,
      consistency: await answer('/log/proof/consistency', { from, to: proof?.tree_size }),
    };
  }
  const run = (input: object): string => execFileSync(binary, { input: JSON.stringify(input), encoding: 'utf8' });
  const refuses = (input: object): boolean => spawnSync(binary, { input: JSON.stringify(input) }).status === 1;

  it('accept checkpoint, inclusion and consistency unchanged, at sizes around the edge of a tile', async () => {
    const { receipt_id: first } = await receipts.attest(newRun());
    for (const more of [1, 5, 246, 1, 1, 1, 300]) {
      const made = await Promise.all(Array.from({ length: more }, () => receipts.attest(newRun())));
      for (const id of [first, made.at(-1)?.receipt_id ?? ''])
        for (const from of [1, 3, 4])
          expect(run(await inputOf(id, from))).to.match(/^OK ins_\w+\.orb\/receipts\/0 \d+\n$/);
    }
  }).timeout(60_000);

  it('refuse another entry, another checkpoint, and another key', async () => {
    const { receipt_id: id } = await receipts.attest(newRun());
    const input = await inputOf(id, 2);
    expect(refuses(input)).to.equal(false);
    expect(refuses({ ...input, entry: Buffer.from('other').toString('base64') })).to.equal(true);
    expect(refuses({ ...input, checkpoint: String(input['checkpoint']).replace(/\n\d+\n/, '\n3\n') })).to.equal(true);
    expect(
      refuses({ ...input, vkey: 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k' }),
    ).to.equal(true);
  });
});
