// Runs once the folder of the files is known: the writer thread loads its modules while the program loads.
import { prepareWriter } from '../store/serving/writer-link.ts';

if (process.argv[2] === 'serve') prepareWriter(new URL('../../plugins/stores.ts', import.meta.url).href);
