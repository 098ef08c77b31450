import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The last one of 24 November, the oldest release whose workers know every change of the workflows, and so may run beside those of today. */
export const earlierCommit = '4cdcee5be88fae3a54630228b355b17d6f4ecd64';

/** False where the sources are without their Git history, or with a part of it. */
export const isInHistory = spawnSync('git', ['-C', repository, 'cat-file', '-e', earlierCommit]).status === 0;
