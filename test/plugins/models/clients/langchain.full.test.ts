import { langchain } from './langchain.ts';
import { worksUnchanged } from './table.ts';

worksUnchanged(langchain);
