import type { Screen } from './frame/screen.ts';
import { Home } from './screens/home.ts';

/** All screens; the tabs stand in this order. */
export const screens: readonly Screen[] = [{ path: '/', title: 'Needs you', tab: { jump: 'h' }, component: Home }];
