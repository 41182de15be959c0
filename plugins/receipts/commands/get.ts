import { defineCommand } from '../../../kernel/index.ts';

/** `orb receipts get <receipt_id>`: prints the receipt as the server answers it; save it, and verify it offline. */
export const getCommand = defineCommand({
  path: 'receipts get',
  summary: 'print a receipt with its proof, as JSON',
  args: [{ name: 'receipt_id', description: '`rec_…`, from the answer of the run' }],
  async run({ args: [receiptId = ''], client, print }) {
    const receipt = await client().request('GET', `/receipts/${encodeURIComponent(receiptId)}`);
    print(receipt, JSON.stringify(receipt, undefined, 2));
  },
});
