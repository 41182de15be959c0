import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import { gzipped, tarball, type Entry } from '../../../../plugins/kit/packages/tar.ts';

const long = `${'folder/'.repeat(20)}file`;
const entries: readonly Entry[] = [
  { path: 'b', content: 'two', mode: 0o755 },
  { path: 'a/', owner: 65532 },
  { path: 'a/link', link: '../b' },
  { path: long, content: new Uint8Array(513) },
  { path: 'a/ő=1', content: 'umlaut' },
];
const epoch = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;

describe('an archive of a release', () => {
  it('is read by tar as it was meant: kinds, modes, owners, times, links, long and foreign names, in order', () => {
    const listed = execFileSync('tar', ['--numeric-owner', '--full-time', '-tvf', '-', '--quoting-style=literal'], {
      input: tarball(entries, epoch),
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
    });
    const lines = listed.trim().split('\n');
    expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).to.deep.equal([
      'drwxr-xr-x 65532/65532 0 2026-01-02 03:04:05 a/',
      'lrwxrwxrwx 0/0 0 2026-01-02 03:04:05 a/link -> ../b',
      '-rw-r--r-- 0/0 6 2026-01-02 03:04:05 a/ő=1',
      '-rwxr-xr-x 0/0 3 2026-01-02 03:04:05 b',
      `-rw-r--r-- 0/0 513 2026-01-02 03:04:05 ${long}`,
    ]);
  });

  it('has the same bytes in whatever order its entries are given', () => {
    expect(tarball(entries.toReversed(), epoch).equals(tarball(entries, epoch))).to.equal(true);
  });

  it('is refused with two entries of one path, and with a path or a link that no header can hold', () => {
    expect(() => tarball([{ path: 'a' }, { path: 'a' }], 0)).to.throw('the archive has two entries a');
    expect(() => tarball([{ path: 'a'.repeat(101) }], 0)).to.throw(RangeError);
    expect(() => tarball([{ path: 'a', link: 'b'.repeat(101) }], 0)).to.throw(RangeError);
  });

  it('is compressed without a time or a system in its head', () => {
    const packed = gzipped(Buffer.from('hello'));
    expect([...packed.subarray(0, 10)]).to.deep.equal([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
    expect(gunzipSync(packed).toString()).to.equal('hello');
  });
});
