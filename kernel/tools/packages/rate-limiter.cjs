// The package's index loads a backend for each database that it knows, and Node's cluster with them.
exports.RateLimiterMemory = require('rate-limiter-flexible/lib/RateLimiterMemory.js');
