export { TryIt } from './choice.ts';
