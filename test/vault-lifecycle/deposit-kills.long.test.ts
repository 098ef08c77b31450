import { expect, test } from '@jest/globals';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import {
  expectEachConfirmedOnce,
  killWorkerAt,
  type Moment,
  momentFaults,
  moments,
  vaultPartsAt,
} from './kill-worker.ts';
import { contribute, fundWallet, invest, waitForTransaction } from './participants.ts';
import { createVault, waitForVaultStatus } from './vault-requests.ts';

const stackOfFile = fileStack({ blockMs: 500 });

test.each(moments)(
  'creation, asset and investment are confirmed once although the worker is killed %s',
  async (moment) => {
    const stack = stackOfFile();
    const { owner, investor, name } = vaultPartsAt(moment);
    const policyId = await fundWallet(stack, owner, { ada: 100, assets: { [name]: 1 } });
    await fundWallet(stack, investor, { ada: 1000 });

    const create = () => createVault(stack, owner.address);
    const vaultId = await withWorkerKilled(stack, moment, 'create_vault', create, (created) => created);
    await waitForVaultStatus(stack, vaultId, 'ACTIVE');
    const add = () => contribute(stack, vaultId, owner, { policyId, name });
    const asset = await withWorkerKilled(stack, moment, 'add_asset', add, () => vaultId);
    await waitForTransaction(stack, asset.hash, ['confirmed', 'final']);
    const fund = () => invest(stack, vaultId, investor, 100_000_000);
    const investment = await withWorkerKilled(stack, moment, 'invest', fund, () => vaultId);
    await waitForTransaction(stack, investment.hash, ['final']);

    await expectEachConfirmedOnce(stack, vaultId);
    const rows = await stack.sql.run<{ counted: number }>`select counted_assets as counted from vaults
        where id = ${vaultId}`;
    expect(rows).toEqual([{ counted: 1 }]);
  },
);

/** Runs `act` and kills the worker at this moment of the transaction that it starts; returns the result of `act`. */
async function withWorkerKilled<Result>(
  stack: TestStack,
  moment: Moment,
  kind: string,
  act: () => Promise<Result>,
  vaultOf: (result: Result) => string,
): Promise<Result> {
  await stack.ledger.faults(momentFaults[moment]);
  const result = await act();
  await killWorkerAt(stack, vaultOf(result), kind, moment);
  await stack.ledger.faults({});
  return result;
}
