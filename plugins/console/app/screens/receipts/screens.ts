export { Receipts } from './list.ts';
export { ReceiptScreen } from './one.ts';
