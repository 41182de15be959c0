import { testViews } from './view-tests.ts';

testViews(3, 5);
