// node test/bench/receipts-alone.ts: what receipts cost without HTTP. BENCH_FULL=1: with 10^6 entries, too.
import { receiptCosts } from './receipts.ts';

await receiptCosts(Number(process.env['BENCH_SECONDS'] ?? 5));
