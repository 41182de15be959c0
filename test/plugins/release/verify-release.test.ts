import { createPrivateKey } from 'node:crypto';
import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { formatVkey, noteKey } from '../../../plugins/receipts/log/pure/note.ts';
import { signStatement } from '../../../plugins/receipts/contract.ts';
import { releaseLog, type ReleaseStatement } from '../../../plugins/release/statement.ts';
import { artefacts, MadeRelease, refusedIn } from './made-release.ts';

const x64 = 'orb-1.0.0-linux-x64';
const arm64 = 'orb-1.0.0-linux-arm64';

describe('orb verify-release', () => {
  let made: MadeRelease;
  let folder: string;
  beforeEach(async () => {
    made = new MadeRelease();
    folder = await made.build('1.0.0');
  });
  afterEach(() => made.remove());

  const path = (name: string): string => join(folder, name);

  it('verifies a folder, and files of it, with only the release key', async () => {
    const whole = await made.verify([folder]);
    expect([whole.exit, whole.text.split('\n').at(-1)], whole.text).to.deep.equal([0, 'VERIFIED']);
    expect(whole.value.files.map(({ name }) => name)).to.deep.equal([...Object.keys(artefacts), 'SHA256SUMS'].sort());
    expect(whole.value.release).to.deep.equal({ version: '1.0.0', commit: 'c'.repeat(40) });
    const two = await made.verify([path(x64), path('chart/values.yaml')]);
    expect([two.exit, two.value.files.map(({ name }) => name)]).to.deep.equal([0, [x64, 'chart/values.yaml']]);
  });

  it('finds one flipped byte in any file, and names the file', async () => {
    for (const name of [...Object.keys(artefacts), 'SHA256SUMS']) {
      const bytes = readFileSync(path(name));
      writeFileSync(path(name), Buffer.from(bytes).fill((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1));
      const { exit, value, text } = await made.verify([folder]);
      expect([exit, refusedIn(value)], name).to.deep.equal([1, [`${name} is not the file that was released`]]);
      expect(text).to.contain(`FAIL ${name}`);
      writeFileSync(path(name), bytes);
    }
    expect((await made.verify([folder])).exit).to.equal(0);
  });

  const changes: Readonly<Record<string, readonly [change: () => void, refused: readonly string[]]>> = {
    'a removed file': [() => rmSync(path(x64)), [`${x64} is missing`]],
    'an added file': [() => writeFileSync(path('more'), 'more'), ['more is not part of the release']],
    'a copy of a file': [() => cpSync(path(x64), path('orb')), [`orb has the content of ${x64}`]],
    'a link to nothing': [() => symlinkSync('/nowhere', path('orb')), ['orb cannot be read as a file']],
    'two files with swapped names': [
      () => {
        renameSync(path(x64), path('kept'));
        renameSync(path(arm64), path(x64));
        renameSync(path('kept'), path(arm64));
      },
      [`${arm64} has the content of ${x64}`, `${x64} has the content of ${arm64}`],
    ],
  };
  for (const [name, [change, refused]] of Object.entries(changes))
    it(`finds ${name}`, async () => {
      change();
      const { exit, value } = await made.verify([folder]);
      expect([exit, refusedIn(value)]).to.deep.equal([1, refused]);
    });

  it('verifies a file that was moved away by its name, with the statement that is given', async () => {
    const moved = join(made.dir, x64);
    cpSync(path(x64), moved);
    const options = { statement: path('release.json') };
    expect((await made.verify([moved], options)).exit).to.equal(0);
    expect((await made.verify([moved])).exit).to.equal(3);
    writeFileSync(moved, 'other');
    expect((await made.verify([moved], options)).exit).to.equal(1);
  });

  it('takes the key as a vkey, a PEM file or a trust file, and no other key', async () => {
    const pem = readFileSync(made.keys.owner.pem, 'utf8');
    const raw = Buffer.from(pem.split('\n')[1] ?? '', 'base64').subarray(-32);
    const vkey = formatVkey(noteKey(releaseLog, raw));
    const trusted = join(made.dir, 'trusted');
    writeFileSync(trusted, `log ${vkey}\nquorum none\n`);
    for (const key of [vkey, trusted, made.keys.owner.pem])
      expect((await made.verify([folder], { key })).exit, key).to.equal(0);
    const strange = await made.verify([folder], { key: made.keys.stranger.pem });
    expect([strange.exit, strange.value.files]).to.deep.equal([4, []]);
    for (const key of [formatVkey(noteKey('other/releases', raw)), '/nowhere', path('NOTICE')]) {
      const { exit, notes } = await made.verify([folder], { key });
      expect([exit, notes[0]], key).to.deep.equal([4, `--key ${key} is no Ed25519 key of the release log`]);
    }
  });

  it('asks for a key when the program holds none', async () => {
    const { exit, notes } = await made.verify([folder], { key: undefined as unknown as string });
    expect(exit).to.equal(4);
    expect(notes).to.deep.equal([
      'this version of the program holds no release key, so nothing was verified: name a key that you trust with --key (a vkey, a PEM file or a trust file)',
    ]);
  });

  it('does not ask for a key when nothing is signed', async () => {
    await made.build('1.0.0', 'none');
    const { exit, notes, text } = await made.verify([folder], { key: undefined as unknown as string });
    expect([exit, notes]).to.deep.equal([3, []]);
    expect(text).to.match(/^the release was built without a release key: nothing is signed$/m);
  });

  it('refuses a statement by another key, and one whose key id was changed', async () => {
    const own = made.text('1.0.0', 'release.json');
    await made.build('1.0.0', 'stranger').catch(() => undefined);
    const { exit, text } = await made.verify([folder]);
    expect([exit, text.split('\n').at(-1)]).to.deep.equal([4, 'REJECTED']);
    const forged = JSON.parse(made.text('1.0.0', 'release.json')) as { signatures: { keyid: string }[] };
    const { signatures } = JSON.parse(own) as { signatures: { keyid: string }[] };
    for (const signature of forged.signatures) signature.keyid = signatures[0]?.keyid ?? '';
    writeFileSync(path('release.json'), JSON.stringify(forged));
    expect((await made.verify([folder])).exit).to.equal(1);
  });

  it('refuses a changed statement, one without a proof, and one with the proof of another', async () => {
    const proof = made.text('1.0.0', 'release.tlog-proof');
    await made.build('1.1.0');
    writeFileSync(path('release.tlog-proof'), made.text('1.1.0', 'release.tlog-proof'));
    expect((await made.verify([folder])).exit).to.equal(1);
    rmSync(path('release.tlog-proof'));
    expect((await made.verify([folder])).exit).to.equal(3);
    writeFileSync(path('release.tlog-proof'), proof);
    expect((await made.verify([folder])).exit).to.equal(0);
    const { payload, ...envelope } = JSON.parse(made.text('1.0.0', 'release.json')) as { payload: string };
    const changed = Buffer.from(payload, 'base64').toString().replace('1.0.0', '1.0.1');
    writeFileSync(
      path('release.json'),
      JSON.stringify({ ...envelope, payload: Buffer.from(changed).toString('base64') }),
    );
    expect((await made.verify([folder])).exit).to.equal(1);
    writeFileSync(path('release.json'), 'no JSON');
    expect((await made.verify([folder])).exit).to.equal(2);
  });

  it('needs no state folder', async () => {
    rmSync(made.state, { recursive: true });
    const { exit, notes } = await made.verify([folder]);
    expect([exit, notes]).to.deep.equal([0, []]);
  });

  it('refuses a signed statement that is not one of a release, or names a file twice', async () => {
    const { payload } = JSON.parse(made.text('1.0.0', 'release.json')) as { payload: string };
    const own = JSON.parse(Buffer.from(payload, 'base64').toString()) as ReleaseStatement;
    const statements: readonly (readonly [statement: object, hint: string])[] = [
      [{ ...own, predicateType: 'other' }, 'the signed statement is not one of a release'],
      [{ ...own, subject: [...own.subject, ...own.subject.slice(0, 1)] }, 'the signed statement names NOTICE twice'],
    ];
    for (const [statement, hint] of statements) {
      const log = { folder: join(made.dir, 'dist/log'), origin: releaseLog };
      const key = createPrivateKey(readFileSync(made.keys.owner.secret));
      const { envelope, proof } = signStatement(Buffer.from(JSON.stringify(statement)), key, log);
      writeFileSync(path('release.json'), JSON.stringify(envelope));
      writeFileSync(path('release.tlog-proof'), proof);
      const { exit, value } = await made.verify([folder]);
      expect([exit, value.hint]).to.deep.equal([2, hint]);
    }
  });

  it('says of an unsigned release that nothing is signed', async () => {
    await made.build('1.0.0', 'none');
    const { exit, text } = await made.verify([folder]);
    expect([exit, text.split('\n')]).to.deep.equal([
      3,
      ['the release was built without a release key: nothing is signed', 'NOTHING-TO-VERIFY'],
    ]);
  });
});
