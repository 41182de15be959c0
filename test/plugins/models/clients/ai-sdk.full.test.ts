import { aiSdk } from './ai-sdk.ts';
import { worksUnchanged } from './table.ts';

worksUnchanged(aiSdk);
