import { testViews } from './view-tests.ts';

testViews(5, 5);
