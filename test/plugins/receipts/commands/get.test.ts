import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Client } from '../../../../kernel/index.ts';
import { getCommand } from '../../../../plugins/receipts/commands/get.ts';
import { verifyCommand } from '../../../../plugins/receipts/commands/verify.ts';
import type { Report } from '../../../../plugins/receipts/verifier/report.ts';
import { clientOf } from '../client.ts';
import { freshReceipts } from '../fresh.ts';
import { temporaryDir } from '../harness.ts';
import { runCommand } from '../../../helpers/command.ts';

describe('orb receipts get', () => {
  const receipts = freshReceipts();
  let dir: ReturnType<typeof temporaryDir>;
  beforeEach(() => {
    dir = temporaryDir();
  });
  afterEach(() => dir.remove());

  const newId = async (): Promise<string> => (await receipts.attestRuns(1))[0]?.receipt_id ?? '';
  const get = async (id: string, client: () => Client = clientOf(receipts)) => {
    const { notes, text } = await runCommand(getCommand, dir.path, [id], { client });
    const file = join(dir.path, `${id}.json`);
    writeFileSync(file, text);
    return { file, notes, text };
  };
  const fetched = async (): Promise<string> => (await get(await newId())).file;
  const verify = async (file: string): Promise<string> => {
    const options = { keys: receipts.path('jwks.json') };
    const { value } = await runCommand<Report>(verifyCommand, dir.path, [file], { options });
    return value.overall;
  };
  const consistencyIn = (file: string) =>
    (JSON.parse(readFileSync(file, 'utf8')) as { consistency?: { from: number }[] }).consistency;

  it('saves beside a receipt the proof that the log goes on from what is remembered, so that it is VERIFIED', async () => {
    const files: string[] = [];
    for (let round = 0; round < 4; round++) {
      const file = await fetched();
      files.push(file);
      expect(await verify(file), `round ${round}`).to.equal('VERIFIED');
    }
    expect(consistencyIn(files[0] ?? '')).to.equal(undefined);
    expect(consistencyIn(files[3] ?? '')).to.have.length(1);
    for (const file of files) expect(await verify(file), 'verified before').to.equal('VERIFIED');
  });

  for (const [name, order] of [
    ['the order in which they were fetched', [0, 1, 2]],
    ['the other order', [2, 1, 0]],
    ['any order', [1, 2, 0]],
  ] as const)
    it(`saves what is needed to verify receipts that were fetched before any was verified, in ${name}`, async () => {
      const files = [await fetched(), await fetched(), await fetched()];
      for (const at of order) expect(await verify(files[at] ?? ''), `receipt ${at}`).to.equal('VERIFIED');
    });

  it('does without the proof when the log does not give it, and says nothing to who has no state dir', async () => {
    await verify(await fetched());
    const asked: string[] = [];
    const { request } = clientOf(receipts, asked)();
    const mute: Client = {
      request: (method, path) => (path.startsWith('/log') ? Promise.reject(new Error('no')) : request(method, path)),
      open: () => Promise.reject(new Error('not asked')),
      download: () => expect.fail('nothing is downloaded'),
    };
    const { file } = await get(await newId(), () => mute);
    expect(consistencyIn(file)).to.equal(undefined);
    expect(await verify(file)).to.equal('VERIFIED-WITH-LIMITS');
    const { notes } = await runCommand(getCommand, join(dir.path, 'nowhere'), [await newId()], {
      client: clientOf(receipts),
    });
    expect(notes).to.deep.equal([]);
  });

  it('saves no proof from a tree to itself', async () => {
    const id = await newId();
    await verify((await get(id)).file);
    const { file } = await get(id);
    expect(consistencyIn(file)).to.equal(undefined);
    expect(await verify(file)).to.equal('VERIFIED');
  });

  it('says so when the log shows less than was seen before', async () => {
    const early = await newId();
    await verify(await fetched());
    const { text } = await get(early);
    const document = JSON.parse(text) as { proof: { checkpoint: string } };
    const shrunk = (size: number): Client => ({
      request: async <T>() => {
        const checkpoint = document.proof.checkpoint.replace(/\n\d+\n/, `\n${size}\n`);
        return { ...document, proof: { ...document.proof, checkpoint } } as T;
      },
      open: () => Promise.reject(new Error('not asked')),
      download: () => expect.fail('nothing is downloaded'),
    });
    const { notes } = await get(early, () => shrunk(1));
    expect(notes.join()).to.include('the log shows 1 entries, but 5 were seen before');
  });

  it('has a receipt refused whose saved proofs are malformed, forged, or too many', async () => {
    await verify(await fetched());
    const file = await fetched();
    const document = JSON.parse(readFileSync(file, 'utf8')) as { consistency: object[] };
    const verifiedWith = async (consistency: unknown): Promise<string> => {
      writeFileSync(file, JSON.stringify({ ...document, consistency }));
      return verify(file);
    };
    const [proof = {}] = document.consistency;
    expect(await verifiedWith([{ ...proof, hashes: [] }])).to.equal('REJECTED');
    for (const malformed of [{}, [{}], [{ ...proof, root: 'AA==' }], Array.from({ length: 65 }, () => proof)])
      expect(await verifiedWith(malformed), JSON.stringify(malformed).slice(0, 40)).to.equal('REJECTED');
    expect(await verifiedWith(document.consistency)).to.equal('VERIFIED');
  });
});
