// Right after the place of the files is known, and before the rest of the program is loaded: another thread loads what it
// needs meanwhile.
import { prepareWriter } from '../store/writer-link.ts';

if (process.argv[2] === 'serve') prepareWriter();
