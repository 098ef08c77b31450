import { expect, test } from '@jest/globals';
import { witnessSetOf } from '../../src/chain/keys/witness-set.ts';
import { wallClock } from '../../src/domain/units/clock.ts';
import { secondsAfter } from '../../src/domain/units/instant.ts';
import { nextRefund } from '../../src/services/settlements/next-refund.ts';
import { openClaimsOf } from '../../src/services/terminations/open-claims.ts';
import { prepareGathering } from '../../src/services/terminations/prepare-gathering.ts';
import { failVault } from '../../src/services/vaults/fail-vault.ts';
import { findTransaction, findTransactionByHash } from '../../src/store/chain-transactions.ts';
import { getVault } from '../../src/store/vaults.ts';
import type { Prepared } from '../../src/temporal/activity-types.ts';
import { heldAt, send, vaultWithPot } from '../claims/vault-with-pot.ts';
import { execute, executeBody } from '../governance/execution-requests.ts';
import { recordTransaction } from '../governance/record-transaction.ts';
import { createPassedProposal, vaultWithCustody } from '../governance/vault-with-custody.ts';
import { sendAllToSelf } from '../vault-lifecycle/direct-submission.ts';
import { leave, type OwnerScript } from '../vault-lifecycle/leave.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { doubleSpend, workerContextOf } from './double-spend.ts';
import { CONFIRMATION_DEPTH, followerOf } from './follower-service.ts';
import { newVault, sentDeposit } from './sent-deposit.ts';

/** Sends a transaction that the platform has prepared; returns its hash. */
async function sendPrepared(service: ApiService, prepared: Prepared | null): Promise<string> {
  const transaction = prepared && (await findTransaction(service.db, prepared.transactionId));
  if (!transaction) throw new Error('nothing was prepared');
  await send(service, transaction.hash);
  return transaction.hash;
}

/** The operator's outputs go elsewhere, as when another of its transactions takes them. */
function spendOperatorFunds(service: ApiService): Promise<string> {
  const { operator } = service.keys;
  return sendAllToSelf(service, {
    address: operator.address,
    sign: (unsigned) => witnessSetOf(unsigned, [operator]),
  });
}

test('a liquidation that a fork double-spends ends no vault, and the next attempt does', async () => {
  await using service = await apiService();
  const vault = await vaultWithCustody(service);
  const id = await createPassedProposal(service, vault, { action_type: 'liquidate' }, 0);
  const liquidate = async () => {
    const body = executeBody(vault.big, [], { type: 'liquidate', details: {} });
    const answer = await execute(service, id, body);
    expect(answer).toMatchObject({ status: 200 });
    await send(service, answer.body.transaction.tx_hash);
    return answer.body.transaction.tx_hash;
  };
  const decision = async () => {
    const { rows } = await service.sql.query<Record<'because' | 'proposal', string | null> & { ends: boolean }>(
      `select failed_because as because, p.status as proposal, exists (select from terminations where vault_id = v.id) as ends
        from vaults v join proposals p on p.vault_id = v.id where v.id = $1`,
      [vault.vaultId],
    );
    return rows[0];
  };

  const lost = await doubleSpend(service, {
    send: liquidate,
    landed: async () => {
      expect(await decision()).toEqual({ because: 'liquidated', proposal: 'EXECUTED', ends: false });
    },
    spend: () => spendOperatorFunds(service),
  });
  expect(await decision()).toEqual({ because: null, proposal: 'PASSED', ends: false });
  expect(await liquidate()).not.toBe(lost);
  await service.ledger.mine(CONFIRMATION_DEPTH);
  await followerOf(service).catchUp();
  expect(await decision()).toEqual({ because: 'liquidated', proposal: 'EXECUTED', ends: true });
});

test('a transaction that gathers a pot and that a fork double-spends has gathered nothing, and is built anew', async () => {
  await using service = await apiService();
  const { vaultId } = await vaultWithPot(service, [{ address: newWallet().address, tokens: 5n }], { outputs: [] });
  await service.sql.query(
    'update terminations set claims_opened_at = null, claim_deadline = null where vault_id = $1',
    [vaultId],
  );
  const { contractAddress } = await getVault(service.db, vaultId);
  const { txHash } = await service.ledger.faucet({ address: contractAddress, lovelace: '9000000' });
  await recordTransaction(service, vaultId, txHash, 'liquidity');
  const context = workerContextOf(service);
  const moment = () => ({ vaultId, now: wallClock.now() });
  // No worker has been there for a day: what it then builds lives as long as ever.
  const asked = () => ({ vaultId, now: secondsAfter(wallClock.now(), -86_400) });
  const gather = async () => sendPrepared(service, await prepareGathering(context, asked()));
  const gathering = async () => {
    type Read = { data: { termination: { pot: object | null; steps: { name: string }[] } } };
    const { termination } = (await service.api.get<Read>(`/vaults/${vaultId}`)).body.data;
    return { pot: termination.pot, step: termination.steps.find(({ name }) => name === 'gather_pot') };
  };

  const lost = await doubleSpend(service, {
    send: gather,
    landed: async () => {
      expect(await openClaimsOf(context, moment())).toBe(false);
    },
    spend: () => spendOperatorFunds(service),
  });
  expect(await openClaimsOf(context, moment())).toBe(false);
  const shown = { transactionHash: lost, status: 'running', reason: null, finalTransactions: 0 };
  expect(await gathering()).toMatchObject({ pot: null, step: shown });

  const hash = await gather();
  await service.ledger.mine(CONFIRMATION_DEPTH);
  await followerOf(service).catchUp();
  expect(await openClaimsOf(context, moment())).toBe(true);
  const fee = (await findTransactionByHash(service.db, hash))?.fee ?? 0n;
  expect(await gathering()).toMatchObject({
    pot: { lovelace: (9_000_000n - fee).toString() },
    step: { transactionHash: hash, status: 'done', finalTransactions: 1 },
  });
});

test('a refund of which an owner takes the deposit on a fork has returned nothing, and the others are refunded anew', async () => {
  await using service = await apiService();
  const [leaving, staying] = [await service.fundedWallet({ Barge: '1' }), await service.fundedWallet({ Skiff: '1' })];
  const vaultId = await newVault(service);
  await sentDeposit(service, vaultId, leaving, 'Barge');
  await sentDeposit(service, vaultId, staying, 'Skiff');
  await service.ledger.mine();
  const follower = followerOf(service);
  await follower.catchUp();
  const { settlesBy } = await getVault(service.db, vaultId);
  const now = secondsAfter(settlesBy, 60);
  await service.advance(Math.ceil((now - wallClock.now()) / 1000));
  const context = workerContextOf(service);
  await failVault(context, { vaultId, reason: 'settlement_deadline', now });
  const refund = async () => {
    const next = await nextRefund(context, { vaultId, now });
    return sendPrepared(service, next.kind === 'send' ? next : null);
  };
  const assets = async () => {
    const { rows } = await service.sql.query<{ status: string; reason: string | null }>(
      'select status, release_reason as reason from assets where vault_id = $1 order by id',
      [vaultId],
    );
    return rows.map(({ status, reason }) => [status, reason]);
  };
  const script = async () => {
    type Read = { data: { assets: { addedBy: string; ownerScript: OwnerScript }[] } };
    const { body } = await service.api.get<Read>(`/vaults/${vaultId}/assets`);
    const found = body.data.assets.find(({ addedBy }) => addedBy === leaving.address);
    if (!found) throw new Error('the deposit is not listed');
    return found.ownerScript;
  };

  const lost = await doubleSpend(service, {
    send: refund,
    landed: async () => {
      expect(await assets()).toEqual([
        ['RELEASED', 'refunded'],
        ['RELEASED', 'refunded'],
      ]);
    },
    spend: async () => leave(service, await script(), leaving),
  });
  expect(await assets()).toEqual([
    ['LOCKED', null],
    ['LOCKED', null],
  ]);
  expect(await refund()).not.toBe(lost);
  await service.ledger.mine(CONFIRMATION_DEPTH);
  await follower.catchUp();
  expect(await nextRefund(context, { vaultId, now })).toEqual({ kind: 'done' });
  expect(await assets()).toEqual([
    ['RELEASED', 'reclaimed'],
    ['RELEASED', 'refunded'],
  ]);
  const skiff = staying.policyId + Buffer.from('Skiff').toString('hex');
  expect(await heldAt(service, staying.address, skiff)).toMatchObject({ tokens: 1n });
});
