/**
 * All surfaces for code outside the tree, which imports them as `agent-orb-kit` or gets them as `api` by
 * `export default (api) => ({…})`, with names that only such code needs or that the types of the contracts are made of.
 */
export * from './adapter.ts';
export * from './index.ts';
export * from './maintenance.ts';
export * from './outbound.ts';
export * from './runner.ts';
export type { Scope } from './access.ts';
export type { HookTaps } from './hooks.ts';
export type { Capability } from './provider/adapter.ts';
export { cursorAfter } from './http/route/paging.ts';
export { defineQuestion, type PluginHook } from './plugin-hook.ts';
export type { Plugin, Started } from './plugin.ts';
export type { ServiceToken } from './service.ts';
export { immediate, type ImmediateScope } from './store/awaitable.ts';
export type { Taker, Writing, StoreAddress } from './store/contract.ts';
export type { StoreUrls } from './store/engine.ts';
export { columnOf } from './store/sql/column.ts';
export type { Asked } from './store/sql/query.ts';
export type { Thread } from './thread.ts';
export type { EndedNode, NodeView } from './store/peers.ts';
export type { Optional } from './tools/schema.ts';
