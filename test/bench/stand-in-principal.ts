import { definePlugin, type Principal } from '../../kernel/index.ts';

const principal: Principal = Object.freeze({
  id: 'prn_01M7X8PQG00000000000000000',
  key_id: 'key_01M7X8PQG00000000000000001',
  tenant: 'default',
  scopes: Object.freeze(['*']),
  mode: 'live',
});

/** Knows every caller without looking at the key: what a governed run costs without authentication. */
export default definePlugin({
  name: 'stand-in-principal',
  start({ hooks }) {
    hooks.authenticate.tap('stand-in-principal', () => principal);
    return {};
  },
});
