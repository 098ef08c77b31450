/**
 * Runs before the main module of a program: loads the modules that `LOADED_EARLY` names while the parts that the program needs start, and
 * waits for the rest of its environment, one line of JSON on the standard input. Without it the starter has ended, and so does this process.
 */
import { createInterface } from 'node:readline';
import { isMainThread } from 'node:worker_threads';

// The threads that a program starts run this, too.
if (isMainThread) {
  const given = firstLine();
  const { LOADED_EARLY: modules } = process.env;
  if (modules !== undefined) await import(modules);
  const line = await given;
  if (line === undefined) process.exit();
  Object.assign(process.env, JSON.parse(line));
}

async function firstLine(): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return undefined;
  } finally {
    process.stdin.destroy();
  }
}
