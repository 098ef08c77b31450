import { expect, test } from '@jest/globals';
import { fileStack } from '../stack/file-stack.ts';
import { until } from '../stack/until.ts';
import { expectEachConfirmedOnce, killWorkerAt, momentFaults, moments, vaultPartsAt } from './kill-worker.ts';
import { mineUntil } from './mine-until.ts';
import { contribute, fundWallet, holdings, invest, waitForTransaction } from './participants.ts';
import { advanceToBefore, createVault, readVault, waitForVaultStatus } from './vault-requests.ts';

const stackOfFile = fileStack({ blockMs: 0 });

test.each(moments)('the settlement matches its plan although the worker is killed %s', async (moment) => {
  const stack = stackOfFile();
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

  await expectEachConfirmedOnce(stack, vaultId);
  const plan = await stack.sql.run<{ wallet: string; ft: string; unit: string }>`select e.wallet, e.ft,
      v.ft_unit as unit from entitlements e join vaults v on v.id = e.vault_id where v.id = ${vaultId}`;
  expect(plan).toHaveLength(2);
  for (const { wallet, ft, unit } of plan) expect((await holdings(stack, wallet)).get(unit)).toBe(BigInt(ft));
});
