import { build } from 'esbuild';
import { expect } from 'chai';
import { join } from 'node:path';
import { packageDir } from '../../helpers/folder.ts';
import { lazyPackages, placed, threadFiles } from '../../../plugins/kit/binary/sources.ts';

describe('the client library in the executable', function () {
  this.timeout(120_000);
  const holds = async (entry: string): Promise<boolean> => {
    const { metafile } = await build({
      ...{ entryPoints: [join(packageDir, entry)], bundle: true, write: false, metafile: true, logLevel: 'error' },
      ...{
        platform: 'node',
        format: 'cjs',
        target: 'node24',
        plugins: [placed(packageDir)],
        absWorkingDir: packageDir,
      },
    });
    return Object.keys(metafile.inputs).some((path) => path.includes('@modelcontextprotocol'));
  };

  it('is a file of its own, loaded when a provider needs it', () => {
    expect(lazyPackages(packageDir)).to.include('@modelcontextprotocol/client');
  });

  for (const entry of ['kernel/binary/entry.ts', ...threadFiles(packageDir)])
    it(`is not in ${entry}`, async () => {
      expect(await holds(entry)).to.equal(false);
    });
});
