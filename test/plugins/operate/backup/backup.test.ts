import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { backup } from '../../../../plugins/operate/backup/backup.ts';
import { failing } from '../../../helpers/command.ts';

describe('orb backup', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'orb-backup-'))));
  after(() => rmSync(folder, { recursive: true }));

  it('names the folder that is there already', async () => {
    expect(await failing(backup, folder, [folder])).to.contain(`${folder} already exists; name a new folder`);
  });
});
