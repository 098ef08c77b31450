import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const bundler = fileURLToPath(new URL('./bundle.ts', import.meta.url));

export interface WorkflowBundle extends AsyncDisposable {
  readonly codePath: string;
}

/** The workflows as the worker loads them: the given file, or one bundled now and removed when it is disposed of. */
export async function workflowBundle(given: string | undefined): Promise<WorkflowBundle> {
  if (given !== undefined) return { codePath: given, [Symbol.asyncDispose]: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'workflows-'));
  const codePath = join(folder, 'workflows.cjs');
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', bundler, codePath]);
  return { codePath, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
