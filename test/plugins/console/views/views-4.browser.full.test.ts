import { testViews } from './view-tests.ts';

testViews(4, 5);
