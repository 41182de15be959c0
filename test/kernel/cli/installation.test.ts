import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { storePlaceOf } from '../../../kernel/config/config.ts';
import { externalCommands } from '../../../kernel/cli/installation.ts';
import type { Command } from '../../../kernel/cli/command/command.ts';

const own: readonly Command[] = [{ path: 'receipts verify', summary: 'verify', run: () => Promise.resolve() }];

describe('the commands of plugins outside the tree', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-external-'));
    mkdirSync(join(home, 'data'));
    writeFileSync(join(home, 'data/platform.json'), JSON.stringify({ plugins: { strange: { from: 'strange.mjs' } } }));
    writeFileSync(join(home, 'strange.mjs'), "throw new Error('it ran');\n");
  });
  afterEach(() => rmSync(home, { recursive: true }));

  /** Says whether a call runs the code of the folder. */
  const runsIt = async (...argv: string[]): Promise<boolean> => {
    const notes: string[] = [];
    const builtin = { plugins: [], adapters: [] };
    await externalCommands(argv, own, { builtin, env: { ORB_HOME: home }, note: (text) => void notes.push(text) });
    return notes.some((note) => note.includes('it ran'));
  };

  it('are looked for when the words are no command of the program', async () => {
    expect(await runsIt('strange', 'greet')).to.equal(true);
    expect(await runsIt('--ca', 'ca.pem', 'strange', 'greet')).to.equal(true);
  });

  it('are none where platform.json is no object', async () => {
    for (const text of ['null', '[]', '"text"']) {
      writeFileSync(join(home, 'data/platform.json'), text);
      expect(await runsIt('strange', 'greet'), text).to.equal(false);
      expect(storePlaceOf({ ORB_HOME: home }, home, []), text).to.not.have.property('address');
    }
  });

  it('are not looked for when they are, whatever stands before the words', async () => {
    for (const before of [[], ['--ca', 'ca.pem'], ['--ca=ca.pem'], ['--ca', 'one.pem', '--ca=two.pem']])
      expect(await runsIt(...before, 'receipts', 'verify', 'file.json'), before.join(' ')).to.equal(false);
    for (const before of [[], ['--ca', 'ca.pem']]) expect(await runsIt(...before, '--version')).to.equal(false);
  });
});
