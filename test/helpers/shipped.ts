import { builtin } from '../../plugins/builtin.ts';
import { problemRoute } from '../../kernel/http/server/server.ts';
import { problemTable } from '../../kernel/problem-table.ts';

export { builtin };

/** The problem types of the kernel and of the shipped plugins, by their code. */
export const shippedProblems = problemTable(builtin.plugins);

/** The route that the HTTP side adds to those of a kernel. */
export const describingRoutes = [problemRoute(shippedProblems)];
