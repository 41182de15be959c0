import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { getCommand } from '../../../../plugins/receipts/commands/get.ts';
import { verifyCommand } from '../../../../plugins/receipts/commands/verify.ts';
import { readSeen } from '../../../../plugins/receipts/verifier/trust-store/seen-file.ts';
import type { CommandCall } from '../../../../kernel/index.ts';
import { runCommand, type Said } from '../../../helpers/command.ts';
import { temporaryDir } from '../harness.ts';
import { signedText, vectorKeys, vectors, vectorStatement } from '../sample.ts';

describe('orb receipts', () => {
  let dir: ReturnType<typeof temporaryDir>;
  beforeEach(() => {
    dir = temporaryDir();
    writeFileSync(join(dir.path, 'jwks.json'), JSON.stringify(vectorKeys));
  });
  afterEach(() => dir.remove());

  const file = (name: string, content: string): string => {
    const path = join(dir.path, name);
    writeFileSync(path, content);
    return path;
  };

  const run = (
    command: typeof verifyCommand,
    args: string[],
    more: Partial<CommandCall> = {},
  ): Promise<Said<unknown>> => runCommand(command, dir.path, args, more);

  const envelope = JSON.stringify(vectors.run_receipt.envelope);

  describe('verify', () => {
    it('needs no server, prints each verdict, the limit of --unlogged, values of the payload and the overall word', async () => {
      const { exit, text, value } = await run(verifyCommand, [file('receipt.json', envelope)], {
        options: { unlogged: true },
      });
      expect(exit).to.equal(0);
      expect(text).to.match(/^envelope +pass$/m);
      expect(text).to.match(/^inclusion +not checked: /m);
      expect(text).to.match(/^ {2}trust_score +80$/m);
      expect(text).to.match(/^unlogged: /m);
      expect(text.split('\n').at(-1)).to.equal('VERIFIED-WITH-LIMITS');
      expect(value).to.have.property('overall', 'VERIFIED-WITH-LIMITS');
    });

    it('answers the exit code of the report', async () => {
      const forged = JSON.stringify({ ...vectors.run_receipt.envelope, payload: 'e30=' });
      expect((await run(verifyCommand, [file('forged.json', forged)])).exit).to.equal(1);
      expect((await run(verifyCommand, [file('rubbish.json', 'rubbish')])).exit).to.equal(2);
      const summary = JSON.stringify({ run_id: 'run_1', receipt: { receipt_id: 'rec_1', trust_score: 80 } });
      const nothing = await run(verifyCommand, [file('summary.json', summary)]);
      expect([nothing.exit, nothing.text.split('\n').at(-1)]).to.deep.equal([3, 'NOTHING-TO-VERIFY']);
      const options = { keys: file('none.json', '{"keys":[]}') };
      expect((await run(verifyCommand, [file('receipt.json', envelope)], { options })).exit).to.equal(4);
    });

    it('answers 3 and says why when keys or artefact cannot be read', async () => {
      const missing = await run(verifyCommand, [join(dir.path, 'missing.json')]);
      expect(missing.exit).to.equal(3);
      expect(missing.notes.join()).to.include('missing.json');
      const keyless = await run(verifyCommand, [file('r.json', envelope)], { options: { keys: file('k.json', '[]') } });
      expect(keyless.exit).to.equal(3);
      expect(keyless.notes.join()).to.include('JWK Set');
      const lost = await run(verifyCommand, [file('r.json', envelope)], { options: { keys: join(dir.path, 'lost') } });
      expect([lost.exit, lost.notes.join().includes('--keys')]).to.deep.equal([3, true]);
    });

    it('is not content with what it has seen before when the log that it shall ask does not answer', async () => {
      const proof = file('receipt.tlog-proof', vectors.run_receipt.tlog_proof);
      const verified = (options: CommandCall['options']) =>
        run(verifyCommand, [file('receipt.json', envelope)], { options: { proof, ...options } });
      expect((await verified({})).exit, 'remembers the checkpoint').to.equal(0);
      const deaf = await verified({ url: 'http://127.0.0.1:9/log' });
      expect(deaf.exit).to.equal(3);
      expect(deaf.text).to.match(/^consistency_with_last_seen +not checked: /m);
      expect(deaf.notes.join()).to.include('127.0.0.1:9');
    });

    it('refuses for a folder what it can demand of one receipt alone', async () => {
      const proof = file('receipt.tlog-proof', vectors.run_receipt.tlog_proof);
      for (const options of [{ url: 'http://127.0.0.1:9/log' }, { maxAge: '60' }, { proof }]) {
        const { exit, notes } = await run(verifyCommand, [dir.path], { options });
        expect([exit, notes.join().includes('folder')], Object.keys(options).join()).to.deep.equal([3, true]);
      }
    });

    it('remembers the trees of a folder, and shows a fork in one that differs from what was seen', async () => {
      const folder = join(dir.path, 'folder');
      mkdirSync(folder);
      writeFileSync(join(folder, 'receipt.json'), signedText(vectors.run_receipt.payload));
      expect((await run(verifyCommand, [folder])).exit).to.equal(0);
      const [path, seen] = [join(dir.path, 'seen-checkpoints.json'), await readSeen(dir.path)];
      expect([...seen.values()].flatMap(({ trees }) => trees.map(({ size }) => size))).to.deep.equal([1n]);
      const other = readFileSync(path, 'utf8').replace(/"root": "[^"]+"/, `"root": "${'A'.repeat(43)}="`);
      writeFileSync(path, other);
      const forked = await run(verifyCommand, [folder]);
      expect([forked.exit, forked.text.split('\n').at(-1)]).to.deep.equal([5, 'REJECTED']);
      expect(readFileSync(path, 'utf8'), 'what was seen first stays').to.equal(other);
    });

    it('prints no control character of a statement to the terminal', async () => {
      const statement = vectors.run_receipt.payload.replace('"tenant":"default"', '"tenant":"\\u001b[2J"');
      const { exit, text } = await run(verifyCommand, [file('receipt.json', signedText(statement))]);
      expect(exit).to.equal(0);
      expect(text).to.include('?[2J').and.not.include('\u001b');
    });
  });

  describe('get', () => {
    it('asks the server for the receipt and prints it as it came', async () => {
      const asked: string[] = [];
      const receipt = { receipt_id: 'rec_1', statement: vectorStatement() };
      const client = () => ({
        request: async <T>(method: string, path: string) => {
          asked.push(`${method} ${path}`);
          return receipt as T;
        },
        open: () => Promise.reject(new Error('not asked')),
        download: () => expect.fail('nothing is downloaded'),
      });
      const { text, value } = await run(getCommand, ['rec_1/x'], { client });
      expect(asked).to.deep.equal(['GET /receipts/rec_1%2Fx']);
      expect(JSON.parse(text)).to.deep.equal(receipt);
      expect(value).to.equal(receipt);
    });
  });
});
