// Loaded before the program: writes the address of each module of OpenTelemetry that is loaded into a file. The library of
// the metrics loads the interface, `@opentelemetry/api`, which does nothing by itself.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    if (/\/@opentelemetry\/(?!api\/)/.test(url)) appendFileSync(process.env['LOADED'] ?? '', `${url}\n`);
    return next(url, context);
  },
});
