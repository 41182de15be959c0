import { expect } from 'chai';
import { zip } from '../../../../plugins/kit/packages/zip.ts';
import { fileOfZip } from '../../../../plugins/kit/packages/unzip.ts';

describe('the reader of ZIP archives', () => {
  const archive = Buffer.from(
    zip([
      { path: 'a/one', content: 'first' },
      { path: 'two', content: 'second'.repeat(1000) },
    ]),
  );

  it('finds a file by its path, also behind others and before a comment', () => {
    expect(fileOfZip(archive, 'a/one').toString()).to.equal('first');
    expect(fileOfZip(Buffer.concat([archive, Buffer.from('a comment')]), 'two').toString()).to.equal(
      'second'.repeat(1000),
    );
  });

  it('says that a file is missing, and that it is no archive', () => {
    expect(() => fileOfZip(archive, 'three')).to.throw('the archive has no file three');
    expect(() => fileOfZip(Buffer.from('x'.repeat(100)), 'a')).to.throw('it is no ZIP archive');
  });
});
