import { testViews } from './view-tests.ts';

testViews(1, 5);
