import { definePlugin, exactly, grouped, integer, optional } from '../../kernel/index.ts';
import { mostUse, tokenRate } from '../budgets/contract.ts';
import { runtime } from '../runtime/contract.ts';
import { llmDescription } from './describe/description.ts';
import { anthropicRoutes } from './anthropic/door.ts';
import { modelCommands } from './commands.ts';
import { openAiRoutes } from './openai/door.ts';
import { problems } from './problems.ts';
import type { ModelsScope } from './scope.ts';
import { Signatures } from './serve/signatures.ts';
import modelsStore from './store.ts';
import { listRoutes } from './list/list.ts';

const config = exactly({
  keepalive_ms: optional(
    integer(
      1000,
      60_000,
      15_000,
      'Time of silence after which a stream sends a comment or a ping; load balancers close connections after 60 s',
    ),
  ),
});

/** Serves the models of the capability `llm` by the APIs of OpenAI and Anthropic. */
export default definePlugin({
  name: 'models',
  config,
  problems,
  requires: { runtime },
  commands: grouped([{ name: 'models', task: 'run', summary: 'list and test models' }], modelCommands),
  uses: { mostUse, tokenRate },
  keeps: [
    {
      what: 'signatures of answers of models that call tools',
      tables: ['models_signatures'],
      advice: 'They are deleted after an hour.',
    },
  ],
  store: modelsStore,
  start({ platform, services, clock, log, store, config: { keepalive_ms = 15_000 } }) {
    services.runtime.describe(llmDescription(services.mostUse));
    const offered = new Map<string, number>();
    const since = (model: string): number => {
      const time = offered.get(model) ?? clock.now();
      offered.set(model, time);
      return time;
    };
    const signatures = new Signatures({ store, clock, log, reads: store.reads(modelsStore) });
    const scope: ModelsScope = {
      ...{ platform, runtime: services.runtime, clock, log, since, signatures },
      keepaliveMs: keepalive_ms,
      tokenRate: services.tokenRate?.of,
    };
    const routes = [...openAiRoutes(scope), ...anthropicRoutes(scope), ...listRoutes(scope)];
    return { routes, stop: signatures.sweep() };
  },
});
