import { definePlugin, grouped } from '../../kernel/index.ts';
import { demo } from './command.ts';

/** The command that shows the program with thirty days of simulated history, in a home that it removes at its end. */
export default definePlugin({
  name: 'demo',
  commands: grouped([{ name: 'demo', task: 'run' }], [demo]),
  start: () => ({}),
});
