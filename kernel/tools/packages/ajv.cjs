'use strict';
// CommonJS, which alone can load a package late without a promise. Commands and threads compile no schema: for them
// the 83 modules of ajv would be the longest part of the start.
exports.loadAjv = () => require('ajv/dist/2020.js');
exports.loadDraft07 = () => require('ajv/dist/ajv.js');
