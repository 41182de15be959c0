import type { given } from './given.ts';

// The first script has set it before it loads the second one.
const { orbConsole } = globalThis as unknown as { readonly orbConsole: typeof given };

/** What the second script takes from the first one; its screens import nothing else that runs. */
export const {
  useEffect,
  useRef,
  useState,
  announce,
  answered,
  withQuery,
  onSubmit,
  html,
  Page,
  ApiProblem,
  asProblem,
  useGet,
  useList,
  go,
  hrefOf,
  useKnown,
  useScope,
  Chart,
  ApiCall,
  SelectField,
  TextField,
  later,
  ListTable,
  Empty,
  loaded,
  Loading,
  ProblemNote,
  Status,
  Facts,
  Table,
  Time,
  Code,
  Json,
  durationOf,
  Verified,
} = orbConsole;
