import { expect } from 'chai';
import { OrbClient } from '../../../plugins/clients/typescript/src/orb.ts';
import { sseReader } from '../../../plugins/clients/typescript/src/sse.ts';
import { installClient, type Installed } from './built.ts';
import {
  acceptedMutations,
  expectedLines,
  pagingLines,
  problemLines,
  receiptLines,
  scriptLines,
  streamLines,
  webhookLines,
  type Parts,
} from './vector-lines.ts';

describe('the TypeScript client and the vectors of all clients', function () {
  this.timeout(60_000);
  let installed: Installed;
  let parts: Parts;
  before(async () => {
    installed = await installClient();
    // Receipts and callbacks by the package, whose signatures WebCrypto verifies.
    const { verifyReceipt, verifyWebhook } = installed.client;
    parts = { Orb: OrbClient, sseReader, verifyReceipt, verifyWebhook };
  });
  after(() => installed?.remove());
  const suites: Readonly<Record<string, () => Promise<string[]> | string[]>> = {
    receipts: () => receiptLines(parts),
    problems: () => problemLines(parts),
    streams: () => streamLines(parts),
    webhooks: () => webhookLines(parts),
    paging: () => pagingLines(parts),
    scripts: () => scriptLines('scripts', parts),
    approvals: () => scriptLines('approvals', parts),
  };
  for (const [file, lines] of Object.entries(suites))
    it(`agree on ${file}, line by line`, async () => {
      expect((await lines()).join('\n')).to.equal(expectedLines(file).join('\n'));
    });

  it('accept none of 3,000 mutated receipts', async () => {
    expect(await acceptedMutations(parts)).to.deep.equal([]);
  });
});
