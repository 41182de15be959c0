/** The screens of the server itself. */
export { Nodes } from './nodes.ts';
export { Settings } from './settings.ts';
