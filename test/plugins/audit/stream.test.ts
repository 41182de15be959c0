import { expect } from 'chai';
import { bundleFiles, type BundleScope } from '../../../plugins/audit/bundle.ts';
import { verifyBundle } from '../../../plugins/audit/verify.ts';
import { tar, type ArchivedFile } from '../../../plugins/receipts/contract.ts';
import { signedEnvelope, vectorTrust } from '../receipts/sample.ts';

const at = '2026-11-23T12:00:00.000Z';
const exported = JSON.stringify({ format: 'agent-orb-export/1', logs: [{ shard: '0', origin: 'x' }] });

function scopeOf(count: number, more: Partial<BundleScope> = {}): BundleScope {
  return {
    installation: 'ins_01M6B1YQ000000000000000001',
    at,
    asked: { from: '2026-11-01T00:00:00.000Z', to: at, scopes: ['*'] },
    most: 1_000_000,
    runtime: { catalog: { orbs: new Map(), orbisets: new Map() } },
    receipts: {
      async *files() {
        yield { path: 'export.json', content: exported };
        for (let n = 0; n < count; n++) yield { path: `receipts/0/000000000/${n}.json`, content: `{"n":${n}}` };
      },
      sign: (manifest) =>
        Promise.resolve(signedEnvelope(manifest, 'application/vnd.agent-orb.manifest+json').envelope as never),
      page: () => Promise.resolve(undefined),
    },
    ...more,
  };
}

async function collected(scope: BundleScope): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = [];
  for await (const file of bundleFiles(scope)) files.push(file);
  return files;
}

const manifestIn = (files: readonly ArchivedFile[]) =>
  JSON.parse(String(files.find(({ path }) => path === 'manifest.json')?.content)) as {
    readonly files: number;
    readonly sums: readonly { readonly files: number }[];
    readonly left_out: readonly { readonly part: string; readonly why: string }[];
  };

describe('an archive of evidence as it is written', () => {
  it('lists its files in lists of at most 5,000, and keeps no more in memory', async () => {
    const files = await collected(scopeOf(11_000));
    const { sums, files: counted } = manifestIn(files);
    expect(sums.map(({ files: listed }) => listed)).to.deep.equal([5000, 5000, 1002]);
    expect(counted).to.equal(11_002);
    const lists = files.filter(({ path }) => path.startsWith('sums/'));
    expect(lists.map(({ content }) => String(content).split('\n').length - 1)).to.deep.equal([5000, 5000, 1002]);
  });

  it('is whole for its reader, whatever is in its receipts', async () => {
    const seconds = Math.floor(Date.parse(at) / 1000);
    const report = await verifyBundle(tar(bundleFiles(scopeOf(50)), seconds), vectorTrust);
    expect(report.fault).to.equal(undefined);
    expect(report.bundle?.files).to.equal(52);
    // They are no receipts.
    expect([report.receipts, report.verified, report.overall]).to.deep.equal([50, 0, 'REJECTED']);
    const other = await verifyBundle(tar(bundleFiles(scopeOf(50)), seconds + 1), vectorTrust);
    expect(other.fault).to.equal('the times of files were changed');
  });

  it('holds at most as many receipts as are allowed, and says that it left some out', async () => {
    const files = await collected(scopeOf(20, { most: 10 }));
    expect(files.filter(({ path }) => path.startsWith('export/receipts/'))).to.have.length(10);
    expect(
      manifestIn(files)
        .left_out.map(({ part, why }) => `${part} ${why}`)
        .join(),
    ).to.include('export/ there are more than 10 receipts; export a shorter time');
  });

  it('names the parts whose plugin is off, or whose scope the key does not have', async () => {
    const policy = { between: () => expect.fail('the policies were read') };
    const asked = { from: '2026-11-01T00:00:00.000Z', to: at, tenant: 'default', scopes: ['audit:export'] };
    const left = manifestIn(await collected(scopeOf(1, { policy, asked }))).left_out;
    expect(left).to.deep.include({ part: 'policies/', why: 'the key does not have the scope policies:read' });
    expect(left).to.deep.include({ part: 'incidents/', why: 'the plugin is off' });
  });

  it('ends without its manifest when a part cannot be read', async () => {
    const broken = scopeOf(1, {
      incidents: { between: () => Promise.reject(new Error('the store does not answer')) },
    });
    const paths: string[] = [];
    const reading = (async () => {
      for await (const { path } of bundleFiles(broken)) paths.push(path);
    })();
    expect(await reading.catch((error: unknown) => (error as Error).message)).to.equal('the store does not answer');
    expect(paths).not.to.include('manifest.json');
  });
});
