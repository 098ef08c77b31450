import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { baseEnvironment } from '../src/platform/config/environment.ts';

const bundleScript = fileURLToPath(new URL('./bundle.ts', import.meta.url));

export interface WorkflowBundle extends AsyncDisposable {
  readonly codePath: string;
}

/** The workflow code that the worker loads: `file` if it is given, else a new bundle that is deleted on disposal. */
export async function openWorkflowBundle(file: string | undefined): Promise<WorkflowBundle> {
  if (file !== undefined) return { codePath: file, [Symbol.asyncDispose]: () => Promise.resolve() };
  const folder = await mkdtemp(join(tmpdir(), 'workflows-'));
  const codePath = join(folder, 'workflows.cjs');
  const args = ['--disable-warning=ExperimentalWarning', bundleScript, codePath];
  // Webpack and what it loads need no key of the worker.
  await promisify(execFile)(process.execPath, args, { env: baseEnvironment() });
  return { codePath, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
