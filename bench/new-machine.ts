import { execFile } from 'node:child_process';
import { chmod, cp, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataFolder, npmStart } from '../test/start/npm-start.ts';

/**
 * How long `npm start` takes from the command until ready in a clone of the last commit that has no packages and no Temporal: once with an
 * empty cache of npm, so that everything is downloaded, and once more with what that has downloaded. The difference is the network's.
 */
export async function startNewMachine(print: (line: string) => void): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'new-machine-'));
  // Postgres runs as a user of its own when this is root.
  await chmod(folder.path, 0o755);
  const cache = join(folder.path, 'npm');
  const downloading = await firstStart(join(folder.path, 'first'), { npm_config_cache: cache });
  print(`first start of a new machine: ${downloading.toFixed(1)} s until ready (aim: at most 30 s)`);
  const downloaded = await firstStart(
    join(folder.path, 'second'),
    { npm_config_cache: cache, npm_config_prefer_offline: 'true' },
    join(folder.path, 'first', '.cache'),
  );
  const network = (downloading - downloaded).toFixed(1);
  print(`without the downloads: ${downloaded.toFixed(1)} s, so they took ${network} s`);
}

/** Seconds; `programs` is the folder with the Temporal that another clone has downloaded. */
async function firstStart(
  clone: string,
  environment: Readonly<Record<string, string>>,
  programs?: string,
): Promise<number> {
  await promisify(execFile)('git', ['clone', '--quiet', '--no-local', '--depth=1', process.cwd(), clone]);
  if (programs !== undefined)
    await cp(programs, join(clone, '.cache'), { recursive: true, filter: (path) => !/compiled|workflows/.test(path) });
  await using data = await dataFolder();
  const began = performance.now();
  const started = npmStart(data.path, environment, clone);
  try {
    await started.ready(900_000);
    return (performance.now() - began) / 1000;
  } finally {
    await started.stop();
  }
}
