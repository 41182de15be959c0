import type * as draft07 from 'ajv/dist/ajv.js';
import type * as ajv from 'ajv/dist/2020.js';

/** Loads the compiler of JSON Schema 2020-12, which is loaded once. */
export function loadAjv(): typeof ajv;

/** Loads the compiler of JSON Schema draft-07, which is loaded once. */
export function loadDraft07(): typeof draft07;
