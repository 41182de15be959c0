import { defineStore } from '../../kernel/index.ts';
import { statusPart } from './status/store.ts';

/** The store of the plugin: that of the statuses. */
export default defineStore(statusPart);
