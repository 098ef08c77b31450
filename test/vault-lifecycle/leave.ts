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
  const folder = await mkdtemp(join(tmpdir(), 'leave-'));
  const run = async (...parameters: string[]) => {
    const command = [resolve('tools/leave.mjs'), ...parameters, '--ledger', `${ledger.url}/api/v0`];
    return (await promisify(execFile)(process.execPath, command, { cwd: folder, env: {} })).stdout;
  };
  try {
    await writeFile(join(folder, 'script'), JSON.stringify(script));
    const [, hash = '', transaction = ''] = (await run('take', '--script', 'script', '--owner', owner.address))
      .trim()
      .split(' ');
    await writeFile(join(folder, 'transaction'), transaction);
    await writeFile(join(folder, 'witness'), owner.sign(transaction));
    await run('submit', '--transaction', 'transaction', '--witness', 'witness');
    return hash;
  } finally {
    await rm(folder, { recursive: true });
  }
}
