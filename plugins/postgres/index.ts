import { definePlugin, grouped } from '../../kernel/index.ts';
import { addressForm, readAddresses, schemes } from './connection/address.ts';
import { examineDatabase } from './examination.ts';
import { storeMove } from './move/command.ts';
import { watchAlike } from './nodes/alike.ts';
import { nodeCommands } from './nodes/commands.ts';
import { nodeRoutes, problems } from './nodes/routes.ts';

// The threads of a store on PostgreSQL import it; a store in a file loads nothing of it.
const module = new URL('./engine.ts', import.meta.url).href;

/** The store in a PostgreSQL database, which several nodes may share. */
export default definePlugin({
  name: 'postgres',
  engines: [{ schemes, form: addressForm, module, readAddress: readAddresses }],
  commands: grouped([{ name: 'nodes', task: 'operate' }], [storeMove, ...nodeCommands]),
  examinations: [examineDatabase],
  problems,
  scopes: {
    'nodes:read': { title: 'List the nodes that share the store', installation: true },
    'nodes:manage': { title: 'Remove dead nodes', installation: true, keyAgain: true },
  },
  start({ health, store }) {
    const routes = nodeRoutes(store.peers);
    if (!store.shared) return { routes };
    const alike = watchAlike(store.peers);
    health(alike.check, 'nodes');
    return { routes, stop: alike.stop };
  },
});
