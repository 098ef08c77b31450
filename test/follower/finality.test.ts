import { expect, test } from '@jest/globals';
import type { Claim } from '../claims/attempt-claim.ts';
import { claimClient } from '../claims/claim-client.ts';
import { countedPot, send, vaultWithPot } from '../claims/vault-with-pot.ts';
import { vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { sendAllToSelf, submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { blockHashAt, doubleSpend, readTransaction, resubmit } from './double-spend.ts';
import { CONFIRMATION_DEPTH, followerOf } from './follower-service.ts';
import { newVault, sentDeposit } from './sent-deposit.ts';

interface TransactionResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}
/** A stake that a wallet has sent to the ledger itself, in no block yet. */
async function sentStake(service: ApiService, wallet = newWallet()) {
  const vaultId = await vaultWithTokens(service, wallet);
  const staking = { walletAddress: wallet.address, amount: 100 };
  const { body } = await service.api.post<TransactionResponse>(`/vaults/${vaultId}/stakes`, staking);
  const { hash, unsignedTx } = body.data.transaction;
  await submitDirectly(service, wallet, unsignedTx);
  return { hash, vaultId };
}

test('every read of a transaction says how many confirmations it has, how final it is, and in which blocks it was', async () => {
  await using service = await apiService();
  const follower = followerOf(service);
  await service.ledger.mine(CONFIRMATION_DEPTH);
  await follower.catchUp();
  const { hash, vaultId } = await sentStake(service);
  /** What each read of the transaction says. */
  const reads = async () => {
    await follower.catchUp();
    const { confirmations, finality, blockHeight, blockHash } = await readTransaction(service, hash);
    const { body: list } = await service.api.get(`/transactions?vaultId=${vaultId}&kind=stake`);
    expect(list).toMatchObject({ data: { transactions: [{ hash, confirmations, finality, blockHeight, blockHash }] } });
    const { body: vault } = await service.api.get(`/vaults/${vaultId}?fields=transactions`);
    const shown = { confirmations: finality === 'final' ? null : confirmations };
    expect(vault).toMatchObject({
      data: {
        transactions: expect.arrayContaining([expect.objectContaining({ hash, ...shown, finality, blockHeight })]),
      },
    });
    expect(blockHash ?? undefined).toBe(blockHeight === null ? undefined : await blockHashAt(service, blockHeight));
    return [confirmations, finality];
  };
  expect(await reads()).toEqual([0, 'none']);
  const { height: first } = await service.ledger.mine();
  expect(await reads()).toEqual([1, 'low']);
  const { blockHash: lost } = await readTransaction(service, hash);
  await resubmit(service, 'blocks');
  await service.ledger.rollbackFrom(first);
  expect(await reads()).toEqual([0, 'none']);

  await resubmit(service, 'rollback');
  const { height } = await service.ledger.mine();
  for (const expected of [
    [1, 'low'],
    [2, 'medium'],
    [3, 'final'],
    [4, 'final'],
  ]) {
    expect(await reads()).toEqual(expected);
    await service.ledger.mine();
  }
  const [blockHash, finalBlock] = [await blockHashAt(service, height), { blockHeight: height }];
  expect((await readTransaction(service, hash)).history).toMatchObject([
    { status: 'awaiting_signatures', blockHash: null },
    { status: 'confirmed', blockHeight: first, blockHash: lost },
    { status: 'submitted', blockHeight: null, blockHash: null, reason: `block ${first} was rolled back` },
    { status: 'confirmed', ...finalBlock, blockHash },
    { status: 'final', ...finalBlock, blockHash },
  ]);
});

test('a stake that a fork double-spends fails when that is final, and names the transaction and the block that did', async () => {
  await using service = await apiService();
  const wallet = newWallet();
  const hash = await doubleSpend(service, {
    send: async () => (await sentStake(service, wallet)).hash,
    spend: () => sendAllToSelf(service, wallet),
  });
  const rows = await service.sql.run`select s.status
      from stakes s join chain_transactions t on t.id = s.stake_transaction_id where t.hash = ${hash}`;
  expect(rows).toEqual([{ status: 'RELEASED' }]);
});

test('a deposit that a fork double-spends has not come, and can be made again', async () => {
  await using service = await apiService();
  const owner = await service.fundedWallet({ Barge: '1' });
  const vaultId = await newVault(service);
  const deposit = () => sentDeposit(service, vaultId, owner, 'Barge');
  const assetsOf = async () => {
    const rows = await service.sql.run<object>`select counted_assets as counted, array(select status from assets
        where vault_id = v.id order by id) as assets
        from vaults v where id = ${vaultId}`;
    return rows[0];
  };
  await doubleSpend(service, {
    send: deposit,
    confirmed: async () => {
      expect(await assetsOf()).toEqual({ counted: 1, assets: ['LOCKED'] });
    },
    spend: () => sendAllToSelf(service, owner),
  });
  expect(await assetsOf()).toEqual({ counted: 0, assets: ['RELEASED'] });
  await deposit();
  expect(await assetsOf()).toEqual({ counted: 1, assets: ['RELEASED', 'PENDING'] });
});

test('a claim that a fork double-spends has paid nothing, and the share can be claimed again', async () => {
  await using service = await apiService();
  const client = claimClient(service);
  const holder = newWallet();
  const share = 10_000_000n;
  const { vaultId } = await vaultWithPot(service, [{ address: holder.address, tokens: 10n }], { outputs: [share] });
  let claim: Claim | undefined;
  await doubleSpend(service, {
    send: async () => {
      claim = await client.signed(vaultId, holder);
      await send(service, claim.transaction.hash);
      return claim.transaction.hash;
    },
    confirmed: async () => {
      expect(await countedPot(service, vaultId)).toEqual({ lovelace: 0n, circulating: 0n });
    },
    spend: () => sendAllToSelf(service, holder),
    // It holds an output of the pot that others wait for.
    waits: false,
  });
  expect(claim && (await client.read(vaultId, claim))).toMatchObject({ status: 'FAILED' });
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: share, circulating: 10n });
  expect(await client.paid(vaultId, holder)).toMatchObject({ payoutLovelace: share.toString() });
});
