import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import type { Person } from './participants.ts';

/** As the service publishes it with a deposit or a stake. */
export interface OwnerScript {
  readonly address: string;
  readonly cbor: string;
  readonly slot: number;
}

type Run = (...parameters: string[]) => Promise<string>;

/** Takes everything back that the published script guards, with `tools/leave.mjs` and the owner's wallet; returns the hash. */
export async function leave(
  { ledger }: Pick<TestStack, 'ledger'>,
  script: OwnerScript,
  owner: Person,
): Promise<string> {
  const tip = () => ledger.query<{ slot: number }>('/blocks/latest');
  await until(async () => ((await tip())?.slot ?? 0) >= script.slot, {
    what: 'a block from which on the owner can leave',
  });
  return withScript(ledger.url, script, async (run, folder) => {
    const [, hash = '', transaction = ''] = (await run('take', '--script', 'script', '--owner', owner.address))
      .trim()
      .split(' ');
    await writeFile(join(folder, 'transaction'), transaction);
    await writeFile(join(folder, 'witness'), owner.sign(transaction));
    await run('submit', '--transaction', 'transaction', '--witness', 'witness');
    return hash;
  });
}

/** Why `tools/leave.mjs` takes nothing back now. */
export async function refusalToLeave({ ledger }: Pick<TestStack, 'ledger'>, script: OwnerScript, owner: Person) {
  return withScript(ledger.url, script, (run) =>
    run('take', '--script', 'script', '--owner', owner.address).then(
      (printed) => Promise.reject(new Error(`it takes ${printed}`)),
      (error: unknown) => (error as { stderr: string }).stderr,
    ),
  );
}

/** Runs the tool in a folder that holds nothing but the script. */
async function withScript<Result>(
  url: string,
  script: OwnerScript,
  use: (run: Run, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'leave-'));
  const run: Run = async (...parameters) => {
    const command = [resolve('tools/leave.mjs'), ...parameters, '--ledger', `${url}/api/v0`];
    return (await promisify(execFile)(process.execPath, command, { cwd: folder, env: {} })).stdout;
  };
  try {
    await writeFile(join(folder, 'script'), JSON.stringify(script));
    return await use(run, folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
