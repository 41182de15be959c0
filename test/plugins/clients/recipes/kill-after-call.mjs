// Kills a program when its call was answered, before it can record that: node --import kill-after-call.mjs PROGRAM.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const dying = new URL('./dying-client.mjs', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'agent-orb') return next(specifier, context);
    if (context.parentURL !== dying) return { url: dying, shortCircuit: true };
    // The client is where the program has installed it.
    return next(specifier, { ...context, parentURL: pathToFileURL(process.argv[1]).href });
  },
});
