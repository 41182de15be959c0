import { holds, type AccessRequest, type Decision } from '../access.ts';
import type { HookTaps } from '../hooks.ts';

const needed: Readonly<Record<AccessRequest['action']['name'], string>> = {
  execute: 'orbs:execute',
  swap: 'providers:swap',
  publish: 'marketplace:publish',
};

const allow: Decision = Object.freeze({ allow: true, policies: [], warns: 0, shadow_denies: 0 });
const deny: Decision = Object.freeze({
  allow: false,
  policies: [],
  reasons: [{ code: 'insufficient_scope' }],
  warns: 0,
  shadow_denies: 0,
});

/** Lets the scopes of the key decide: what platform.json's `authorize: "scopes"` means. No policy matches by it. */
export function scopesDecide(hooks: HookTaps): void {
  hooks.authorize.tap('scopes', ({ subject, action, resource }) =>
    holds(subject.scopes, needed[action.name], resource.id) ? allow : deny,
  );
}
