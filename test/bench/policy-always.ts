import { definePlugin } from '../../kernel/index.ts';

/** Allows everything without looking: what a governed run costs without policy. */
export default definePlugin({
  name: 'always',
  start({ hooks }) {
    hooks.authorize.tap('always', () => ({ allow: true, policies: ['always'], warns: 0, shadow_denies: 0 }));
    return {};
  },
});
