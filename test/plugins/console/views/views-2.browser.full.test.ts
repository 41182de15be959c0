import { testViews } from './view-tests.ts';

testViews(2, 5);
