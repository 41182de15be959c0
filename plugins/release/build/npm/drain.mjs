/**
 * Ends the program as by SIGTERM when npx has ended: npx runs it by a shell, and a shell that a signal ends hands it to
 * nobody. The program gets another parent then.
 */
export function drainAfterNpx() {
  if (process.env.npm_lifecycle_event !== 'npx') return;
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 200).unref();
}
