import { describe, expect, test } from '@jest/globals';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { momentFaults, killWorkerAt, type Moment, moments, countOnLedger } from './kill-worker.ts';
import { mineUntil } from './mine-until.ts';
import { contribute, fundWallet, holdings, invest, person, waitForTransaction } from './participants.ts';
import { advanceToBefore, waitForVaultStatus, createVault, readVault } from './vault-requests.ts';

async function expectEachLandedOnce(stack: TestStack, vaultId: string): Promise<void> {
  expect(new Set((await countOnLedger(stack, vaultId)).values())).toEqual(new Set([1]));
}

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

/** The owner, the investor and the NFT of the vault that is tested at this moment. */
function vaultPartsAt(moment: Moment) {
  const first = 31 + 2 * moments.indexOf(moment);
  return { owner: person(first), investor: person(first + 1), name: `Villa ${first}` };
}

describe('with a block every half second', () => {
  const stackOfGroup = fileStack({ blockMs: 500 });

  test.each(moments)('creation, asset and investment land once although the worker is killed %s', async (moment) => {
    const stack = stackOfGroup();
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

    await expectEachLandedOnce(stack, vaultId);
    const { rows } = await stack.sql.query<{ counted: number }>(
      'select counted_assets as counted from vaults where id = $1',
      [vaultId],
    );
    expect(rows).toEqual([{ counted: 1 }]);
  });
});

describe('with blocks on request', () => {
  const stackOfGroup = fileStack({ blockMs: 0 });

  test.each(moments)('the settlement matches its plan although the worker is killed %s', async (moment) => {
    const stack = stackOfGroup();
    const { owner, investor, name } = vaultPartsAt(moment);
    const vaultId = await createVault(stack, owner.address);
    const policyId = await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { [name]: 1 } }));
    await mineUntil(stack, fundWallet(stack, investor, { ada: 1000 }));
    await stack.ledger.setPrice({ policyId, lovelace: '500000000' });
    const asset = await contribute(stack, vaultId, owner, { policyId, name });
    const investment = await invest(stack, vaultId, investor, 300_000_000);
    for (const { hash } of [asset, investment]) await mineUntil(stack, waitForTransaction(stack, hash, ['final']));

    const { investmentWindow } = await readVault(stack, vaultId);
    // The last seconds pass in real time: advancing the clock would wait for the settlement.
    await advanceToBefore(stack, 10, investmentWindow.endTime);
    for (const kind of ['mint', 'deliver', 'liquidity']) {
      await stack.ledger.faults(momentFaults[moment]);
      // The transaction before this one needs a block first.
      if (kind !== 'mint') await stack.ledger.mine();
      await killWorkerAt(stack, vaultId, kind, moment);
      await stack.ledger.faults({});
      await until(async () => (await stack.ledger.mempoolSize()) === 1, { what: `the ${kind} to wait for a block` });
    }
    await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'LOCKED'));

    await expectEachLandedOnce(stack, vaultId);
    const { rows: plan } = await stack.sql.query<{ wallet: string; ft: string; unit: string }>(
      'select e.wallet, e.ft, v.ft_unit as unit from entitlements e join vaults v on v.id = e.vault_id where v.id = $1',
      [vaultId],
    );
    expect(plan).toHaveLength(2);
    for (const { wallet, ft, unit } of plan) expect((await holdings(stack, wallet)).get(unit)).toBe(BigInt(ft));
  });
});
