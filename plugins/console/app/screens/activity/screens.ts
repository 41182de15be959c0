/** The screens of what happens and of who did what. */
export { Changes } from './changes.ts';
export { Events } from './events.ts';
