import { expect } from 'chai';
import { OrbClient } from '../../../plugins/clients/typescript/src/orb.ts';
import { verifyReceipt } from '../../../plugins/clients/typescript/src/receipt.ts';
import { sseReader } from '../../../plugins/clients/typescript/src/sse.ts';
import { verifyWebhook } from '../../../plugins/clients/typescript/src/webhook.ts';
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

const parts: Parts = { Orb: OrbClient, sseReader, verifyReceipt, verifyWebhook };

describe('the TypeScript client and the vectors of all clients', function () {
  this.timeout(60_000);
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
