import type { EngineEvent } from '../../kernel/engine.ts';

const words = {
  away: () => 'over',
  back: () => 'held',
  skewed: ({ aheadMs, skew }) => `${skew} ${Math.round(aheadMs / 1000)}`,
  waiting: ({ node }) => node,
  upgrading: ({ store }) => store,
} satisfies { readonly [K in EngineEvent['kind']]: (event: EngineEvent & { readonly kind: K }) => string };

/** Notes what an engine reports, of some kinds: each as a word. */
export function noted(told: string[], ...kinds: readonly EngineEvent['kind'][]): (event: EngineEvent) => void {
  return (event) => {
    const word = words[event.kind] as (one: EngineEvent) => string;
    if (kinds.includes(event.kind)) told.push(word(event));
  };
}
