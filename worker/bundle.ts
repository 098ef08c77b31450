/** Bundles the workflows into the file that the first argument names. Runs as a process, because webpack never frees its memory. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const [, , file] = process.argv;
if (file === undefined) throw new Error('usage: bundle.ts <file>');
const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
await writeFile(file, code);
