import type { Supervisor } from '../../embedded/supervisor.ts';

interface Run {
  supervisor?: Supervisor;
  folder?: string;
  hasFailed: boolean;
}

/** What the start of a test run leaves for its reporter and its end; all are in jest's main process. */
export const run: Run = { hasFailed: false };
