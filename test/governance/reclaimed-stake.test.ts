import { expect, test } from '@jest/globals';
import {
  submitWitnesses,
  holdings,
  person,
  waitForTransaction,
  type UnsignedTransaction,
} from '../vault-lifecycle/participants.ts';
import { reclaimStake } from '../vault-lifecycle/reclaim-outputs.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { testStack } from '../stack/test-stack.ts';
import { checkedAgainstContract } from '../vaults/contract-checks.ts';
import { waitUntilDeep, scanUnsolicited } from '../vaults/unsolicited-scan.ts';
import { settledVault } from './settled-vault.ts';

interface StakeRead {
  readonly id: string;
  readonly transaction: UnsignedTransaction;
}

const DAY = 86_400;

test('a stake that its owner reclaimed alone after a year is released in the vault with the hash of the reclaiming transaction', async () => {
  await using stack = await testStack();
  const [owner, investor] = [person(45), person(46)];
  const vault = await settledVault(stack, { contributor: owner, investor });
  const api = checkedAgainstContract(stack.api);
  const tokenBalance = async () =>
    (await holdings(stack, owner.address)).get(vault.fractionalization.tokenAddress) ?? 0n;
  const before = await tokenBalance();
  const staked = await api.post<{ data: StakeRead }>(`/vaults/${vault.id}/stakes`, {
    walletAddress: owner.address,
    amount: '1000.5',
  });
  expect(staked).toMatchObject({ status: 201 });
  const { id, transaction } = staked.body.data;
  await submitWitnesses(stack, owner, transaction);
  await waitForTransaction(stack, transaction.tx_hash, ['final']);
  const read = async () => (await api.get<{ data: object }>(`/stakes/${id}`)).body.data;
  await advance(stack, 366 * DAY);
  await scanUnsolicited(stack);
  expect(await read()).toMatchObject({ status: 'ACTIVE', releaseReason: null });

  const hash = await reclaimStake(stack, id, owner);
  await waitUntilDeep(stack, hash);
  await scanUnsolicited(stack);
  await scanUnsolicited(stack);

  expect(await read()).toMatchObject({
    status: 'RELEASED',
    releaseReason: 'reclaimed',
    votingPower: 0,
    transactions: { stakeHash: transaction.tx_hash, unstakeHash: hash },
    allowedActions: [{ allowed: false, reason: 'STAKE_ALREADY_RELEASED' }],
  });
  expect(await tokenBalance()).toBe(before);
  expect(await api.get(`/wallets/${owner.address}/voting-power`)).toMatchObject({ body: { data: { powers: [] } } });
  const { rows } = await stack.sql.query("select transaction_hash as hash from outbox where type = 'STAKE_RECLAIMED'");
  expect(rows).toEqual([{ hash }]);
});
