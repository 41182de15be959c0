import { definePlugin, type Platform } from '../../../kernel/index.ts';
import type { Plugin } from '../../../kernel/surface.ts';
import { namespaceFact, reputation, standingFact, type Reputation } from '../../../plugins/ledger/contract.ts';
import { runtime, type Runtime } from '../../../plugins/runtime/contract.ts';
import { transparencyLog, type TransparencyLog } from '../../../plugins/receipts/contract.ts';

/** What a test holds of a running platform beside its API. */
export interface Probe {
  readonly plugin: Plugin;
  reputation(): Reputation;
  log(): TransparencyLog;
  platform(): Platform;
  runtime(): Runtime;
}

/** Makes a plugin that hands its services to the test. */
export function createProbe(): Probe {
  let held: { reputation: Reputation; transparencyLog: TransparencyLog; runtime: Runtime } | undefined;
  let platform: Platform | undefined;
  const open = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the probe has not started');
    return value;
  };
  return {
    plugin: definePlugin({
      name: 'probe',
      facts: [standingFact, namespaceFact],
      requires: { reputation, transparencyLog, runtime },
      start(scope) {
        held = scope.services;
        platform = scope.platform;
        return {};
      },
    }),
    reputation: () => open(held).reputation,
    log: () => open(held).transparencyLog,
    platform: () => open(platform),
    runtime: () => open(held).runtime,
  };
}
