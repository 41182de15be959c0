import { certificateStore } from '../../../../plugins/ledger/certificate/issue/tables.ts';

/** The store of a ledger that keeps certificates alone; the loader and the writer thread take the default. */
export default certificateStore;
