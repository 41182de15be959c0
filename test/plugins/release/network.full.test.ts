import { describeSilence } from './network.ts';

describeSilence(20);
