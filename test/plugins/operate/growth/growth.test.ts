import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { whileGrowing } from '../../../../plugins/operate/growth/growth.ts';
import { recordedProgress } from '../../../helpers/progress.ts';

describe('the progress of work that blocks its thread', () => {
  const path = join(tmpdir(), 'orb-growth-of-no-file');
  const large = { what: 'copying store.db', path, bytes: 2 ** 40 };
  const failing = (): never => {
    throw new Error('the disk is full');
  };
  const { write } = process.stderr;
  let said = '';
  beforeEach(() => {
    said = '';
    process.stderr.write = (text: string | Uint8Array) => (said += String(text)) !== '';
  });
  afterEach(() => (process.stderr.write = write));

  it('gives what the work gives, or its error, and leaves the line empty', async () => {
    expect(await whileGrowing(recordedProgress(), large, () => 7)).to.equal(7);
    const error = await whileGrowing(recordedProgress(), large, failing).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('message', 'the disk is full');
    expect(said).to.equal('\r\u001b[K'.repeat(2));
  });

  it('is not shown of a small file, and not without a terminal', async () => {
    expect(await whileGrowing(recordedProgress(), { ...large, bytes: 1 }, () => 7)).to.equal(7);
    expect(await whileGrowing(undefined, large, () => 7)).to.equal(7);
    expect(said).to.equal('');
  });
});
