export { Charts } from './charts.ts';
