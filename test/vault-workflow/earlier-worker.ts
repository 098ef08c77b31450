import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

/**
 * The whole worker of the release of 24 November (commit 4cdcee5b): its workflows, its activities, what they read and write. It is the oldest
 * one whose workers know every change of the workflows, and so may run beside those of today. A file, because a checkout may lack the Git
 * history: `git archive <commit> package.json src worker workflows activities`, compressed with brotli.
 */
const archive = new URL('../releases/2026-11-24.tar.br', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'earlier-worker-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true });
});
execFileSync('tar', ['-x', '-C', folder], { input: brotliDecompressSync(readFileSync(archive)) });
symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(folder, 'node_modules'));
// That one is of today.
delete process.env['WORKFLOW_BUNDLE'];
await import(join(folder, 'worker/main.ts'));
