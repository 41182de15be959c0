// The main module of the executable.
import './locate.ts';
import './early.ts';
import { main } from '../main.ts';

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
