import { describeSilence } from './network.ts';

describeSilence(Number(process.env['NETWORK_SECONDS'] ?? 600));
