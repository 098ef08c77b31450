import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { earlierCommit, repository } from './earlier-commit.ts';

/** The whole worker of an earlier release, from the Git history: its workflows, its activities, what they read and write. */
const folder = mkdtempSync(join(tmpdir(), 'earlier-worker-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true });
});
const parts = ['package.json', 'src', 'worker', 'workflows', 'activities'];
const input = execFileSync('git', ['-C', repository, 'archive', earlierCommit, ...parts], { maxBuffer: 2 ** 28 });
execFileSync('tar', ['-x', '-C', folder], { input });
symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
// That one is of today.
delete process.env['WORKFLOW_BUNDLE'];
await import(join(folder, 'worker/main.ts'));
