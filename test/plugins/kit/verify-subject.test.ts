import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { providerVerify } from '../../../plugins/kit/verify/command.ts';
import { failing } from '../../helpers/command.ts';

describe('orb provider verify, of no adapter', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'orb-verify-'))));
  after(() => rmSync(folder, { recursive: true }));

  it('names the path at which there is no file', async () => {
    const path = join(folder, 'absent');
    expect(await failing(providerVerify, folder, [path])).to.contain(
      `${path} is neither a file nor a folder with index.ts`,
    );
  });

  it('names the file that defines no adapter', async () => {
    const file = join(folder, 'index.js');
    writeFileSync(file, 'export default {};');
    writeFileSync(join(folder, 'verify.json'), '{"inputs": {}}');
    expect(await failing(providerVerify, folder, [folder])).to.contain(
      `${file} defines no adapter; call api.defineProvider`,
    );
  });
});
