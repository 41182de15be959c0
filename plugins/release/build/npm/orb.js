#!/usr/bin/env node
// Plain JavaScript of long ago: it must parse on any Node, also on one that cannot run the program itself.
'use strict';
var parts = process.versions.node.split('.').map(Number);
if (parts[0] < 22 || (parts[0] === 22 && parts[1] < 19)) {
  console.error('orb needs Node 22.19 or newer, this is ' + process.version + '; install it, or take the executable');
  process.exit(69);
}
// Compiled once, not at each start; beside the package, where nobody else may write. Threads read it from the environment.
process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || require('node:path').join(__dirname, '.cache');
require('node:module').enableCompileCache();
require('./program/main.cjs');
