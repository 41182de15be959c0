// Runs once the folder of the files is known and before the rest of the program is loaded: the writer thread loads its
// modules in the meantime.
import { prepareWriter } from '../store/serving/writer-link.ts';

if (process.argv[2] === 'serve') prepareWriter(new URL('../../plugins/stores.ts', import.meta.url).href);
