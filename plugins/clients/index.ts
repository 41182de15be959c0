import { definePlugin, grouped } from '../../kernel/index.ts';
import { pages } from '../pages/contract.ts';
import { clientCommands } from './commands.ts';
import { createPackages } from './packages.ts';
import { clientsRoutes } from './routes.ts';

/** Offers the client libraries that fit this server for download. */
export default definePlugin({
  name: 'clients',
  uses: { pages },
  commands: grouped(
    [{ name: 'client', task: 'build', summary: 'write types for programs that call Orbs' }],
    clientCommands,
  ),
  start({ log, services, ...rest }) {
    const packages = createPackages(log, rest.publicUrl);
    return { routes: clientsRoutes({ ...rest, ...services, packages }) };
  },
});
