// Imported before all else: without a working directory no path can be resolved.
try {
  process.cwd();
} catch {
  console.error('orb: the working directory no longer exists; change to a folder that does');
  process.exit(1);
}
