import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { CommandCall } from '../../../../kernel/index.ts';
import { encodeBase64 } from '../../../../plugins/receipts/format/base64.ts';
import { verifyCommand } from '../../../../plugins/receipts/commands/verify.ts';
import type { Report } from '../../../../plugins/receipts/verifier/report.ts';
import { runCommand, type Said } from '../../../helpers/command.ts';
import { temporaryDir } from '../harness.ts';
import { vectorKeys, vectors } from '../sample.ts';

const { values, salts_hex } = vectors.run_receipt;
const salt = (hex: string): string => encodeBase64(Buffer.from(hex, 'hex'));
const opening = { inputs_salt: salt(salts_hex.inputs), outputs_salt: salt(salts_hex.outputs) };

describe('orb receipts verify with the opening of a run', () => {
  let dir: ReturnType<typeof temporaryDir>;
  beforeEach(() => {
    dir = temporaryDir();
    writeFileSync(join(dir.path, 'jwks.json'), JSON.stringify(vectorKeys));
  });
  afterEach(() => dir.remove());

  const file = (name: string, content: unknown): string => {
    const path = join(dir.path, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const verify = (options: CommandCall['options'], artefact: unknown = vectors.run_receipt.envelope) =>
    runCommand<Report>(verifyCommand, dir.path, [file('receipt.json', artefact)], {
      options: { proof: file('receipt.tlog-proof', vectors.run_receipt.tlog_proof), ...options },
    });
  const verdict = ({ exit, value }: Said<Report>): unknown => {
    const check = value.checks.find(({ name }) => name === 'disclosure_matches_commitment');
    return [exit, check?.result, check?.detail];
  };

  it('says that inputs and outputs are those that the receipt commits to, however their JSON is written', async () => {
    const inputs = file(
      'inputs.json',
      JSON.stringify(Object.fromEntries(Object.entries(values.inputs).reverse()), null, 2),
    );
    const outputs = file('outputs.json', values.outputs);
    const both = await verify({ inputs, outputs, opening: file('opening.json', opening) });
    expect(verdict(both)).to.deep.equal([0, 'pass', 'inputs and outputs']);
    expect(verdict(await verify({ inputs, opening: file('opening.json', opening) }))).to.deep.equal([
      0,
      'pass',
      'inputs',
    ]);
  });

  it('takes the whole answer of the execute call as the opening', async () => {
    const answer = { run_id: 'run_1', status: 'completed', outputs: values.outputs, opening };
    const outputs = file('outputs.json', values.outputs);
    expect(verdict(await verify({ outputs, opening: file('answer.json', answer) }))).to.deep.equal([
      0,
      'pass',
      'outputs',
    ]);
  });

  it('rejects another value, another salt, and the salt of the other value, and names what does not fit', async () => {
    const inputs = file('inputs.json', values.inputs);
    const outputs = file('outputs.json', { message_id: 'another' });
    const right = file('opening.json', opening);
    const crossed = file('crossed.json', { inputs_salt: opening.outputs_salt, outputs_salt: opening.inputs_salt });
    expect(verdict(await verify({ inputs, outputs, opening: right }))).to.deep.equal([
      1,
      'fail',
      'the outputs do not match the commitment in the receipt',
    ]);
    expect(verdict(await verify({ inputs, opening: crossed }))).to.deep.equal([
      1,
      'fail',
      'the inputs do not match the commitment in the receipt',
    ]);
  });

  it('rejects a value of a megabyte as any other', async () => {
    const inputs = file('inputs.json', { text: 'x'.repeat(1_000_000) });
    const large = await verify({ inputs, opening: file('opening.json', opening) });
    expect(verdict(large)).to.deep.equal([1, 'fail', 'the inputs do not match the commitment in the receipt']);
  });

  it('does not let a true opening cover a false copy beside the envelope', async () => {
    const options = { inputs: file('inputs.json', values.inputs), opening: file('opening.json', opening) };
    const disclosed = { outputs: { salt: opening.outputs_salt, value: { message_id: 'another' } } };
    const artefact = { envelope: vectors.run_receipt.envelope, disclosed };
    const report = await verify(options, artefact);
    expect(verdict(report)).to.deep.equal([1, 'fail', 'the outputs do not match the commitment in the receipt']);
  });

  it('answers 3 and says why when what it needs is not there', async () => {
    const inputs = file('inputs.json', values.inputs);
    const outputs = file('outputs.json', values.outputs);
    const right = file('opening.json', opening);
    const cases: [CommandCall['options'], string][] = [
      [{ inputs }, '--opening'],
      [{ opening: right }, '--inputs'],
      [{ inputs, opening: join(dir.path, 'missing.json') }, 'missing.json'],
      [{ inputs: join(dir.path, 'missing.json'), opening: right }, 'missing.json'],
      [{ inputs: file('twice.json', '{"a":1,"a":2}'), opening: right }, 'twice.json'],
      [{ outputs, opening: file('half.json', { inputs_salt: opening.inputs_salt }) }, 'outputs_salt'],
      [{ inputs, opening: file('short.json', { inputs_salt: 'AAAA' }) }, 'inputs_salt'],
      [{ inputs, opening: file('junk.json', '[1]') }, 'inputs_salt'],
    ];
    for (const [options, named] of cases) {
      const { exit, notes } = await verify(options);
      expect([exit, notes.join().includes(named)], JSON.stringify(options)).to.deep.equal([3, true]);
    }
  });

  it('is not for a folder', async () => {
    const options = { inputs: file('inputs.json', values.inputs), opening: file('opening.json', opening) };
    const { exit, notes } = await runCommand(verifyCommand, dir.path, [dir.path], { options });
    expect([exit, notes.join().includes('folder')]).to.deep.equal([3, true]);
  });
});
