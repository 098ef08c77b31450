import type { Supervisor } from '../../embedded/supervisor.ts';

interface Run {
  supervisor?: Supervisor;
  folder?: string;
  /** The data of Postgres. */
  databases?: string;
  hasFailed: boolean;
}

/** State that the start of a test run leaves for its reporter and its end; all run in jest's main process. */
export const run: Run = { hasFailed: false };
