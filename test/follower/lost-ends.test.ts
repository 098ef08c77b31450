import { expect, test } from '@jest/globals';
import { witnessSetOf } from '../../src/cardano/keys/witnesses.ts';
import { wallClock, secondsAfter } from '../../src/platform/units/time.ts';
import { advanceRotation, prepareMove } from '../../src/rotation/move-custody.ts';
import { nextRefund } from '../../src/settlement/payments.ts';
import { advanceTermination } from '../../src/termination/advance-termination.ts';
import { openClaimsOf } from '../../src/termination/open-claims.ts';
import {
  prepareClosing,
  prepareGathering,
  prepareHandOver,
  prepareRemainder,
} from '../../src/termination/prepare-transactions.ts';
import { failVault } from '../../src/vaults/end-vault.ts';
import { findTransaction, findTransactionByHash } from '../../src/transactions/queries/transactions.ts';
import { getTermination } from '../../src/termination/queries/terminations.ts';
import { getVault } from '../../src/vaults/queries/vaults.ts';
import type { Prepared } from '../../src/platform/temporal/activity-types.ts';
import { heldAt, send, vaultWithPot } from '../claims/vault-with-pot.ts';
import { execute, executeBody } from '../governance/execution-requests.ts';
import { recordTransaction } from '../governance/record-transaction.ts';
import { newestRotation, rotateNow, rotatedCustody } from '../governance/rotation-requests.ts';
import { addCustodyNft, createPassedProposal, vaultWithCustody } from '../governance/vault-with-custody.ts';
import { vaultWithTokens } from '../governance/vault-with-tokens.ts';
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
    const rows = await service.sql.run<Record<'because' | 'proposal', string | null> & { claimDays: number | null }>`
          select failed_because as because, p.status as proposal,
          (select claim_seconds / 86400 from terminations where vault_id = v.id) as "claimDays"
        from vaults v join proposals p on p.vault_id = v.id where v.id = ${vault.vaultId}`;
    return rows[0];
  };

  const lost = await doubleSpend(service, {
    send: liquidate,
    confirmed: async () => {
      expect(await decision()).toEqual({ because: 'liquidated', proposal: 'EXECUTED', claimDays: null });
    },
    spend: () => spendOperatorFunds(service),
  });
  expect(await decision()).toEqual({ because: null, proposal: 'PASSED', claimDays: null });
  expect(await liquidate()).not.toBe(lost);
  await service.ledger.mine(CONFIRMATION_DEPTH);
  await followerOf(service).catchUp();
  expect(await decision()).toEqual({ because: 'liquidated', proposal: 'EXECUTED', claimDays: 90 });
});

test('a transaction that gathers a pot and that a fork double-spends has gathered nothing, and is built again', async () => {
  await using service = await apiService();
  const { vaultId } = await vaultWithPot(service, [{ address: newWallet().address, tokens: 5n }], { outputs: [] });
  await service.sql.run`update terminations set claims_opened_at = null, claim_deadline = null
      where vault_id = ${vaultId}`;
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
    confirmed: async () => {
      expect(await openClaimsOf(context, moment().vaultId)).toBe(false);
    },
    spend: () => spendOperatorFunds(service),
  });
  expect(await openClaimsOf(context, moment().vaultId)).toBe(false);
  const shown = { transactionHash: lost, status: 'running', reason: null, finalTransactions: 0 };
  expect(await gathering()).toMatchObject({ pot: null, step: shown });

  const hash = await gather();
  await service.ledger.mine(CONFIRMATION_DEPTH);
  await followerOf(service).catchUp();
  // Holders have all of the time to claim, however long ago the workflow has asked.
  const { now } = moment();
  expect(await advanceTermination(context, asked())).toMatchObject({ step: 'claims' });
  const { claimDeadline, claimSeconds } = await getTermination(service.db, vaultId);
  expect(claimDeadline).toBeGreaterThanOrEqual(secondsAfter(now, claimSeconds));
  const fee = (await findTransactionByHash(service.db, hash))?.fee ?? 0n;
  expect(await gathering()).toMatchObject({
    pot: { lovelace: (9_000_000n - fee).toString() },
    step: { transactionHash: hash, status: 'done', finalTransactions: 1 },
  });
});

test('what ends a vault after its claims, and a fork double-spends, has handed over, paid and closed nothing, and is built again', async () => {
  await using service = await apiService();
  const heir = newWallet().address;
  const holder = { address: newWallet().address, tokens: 5n };
  const { vaultId } = await vaultWithPot(service, [holder], { outputs: [30_000_000n], unclaimedTo: heir });
  const { contractAddress: custody } = await getVault(service.db, vaultId);
  const villa = await addCustodyNft(service, { vaultId, custody });
  await service.sql.run`update vaults set counted_assets = 1 where id = ${vaultId}`;
  await service.sql.run`update terminations set claim_deadline = now(), remaining_assets_to = ${heir}
      where vault_id = ${vaultId}`;
  const context = workerContextOf(service);
  const moment = () => ({ vaultId, now: wallClock.now() });
  /** The step that is taken, whether it needs another transaction, and what the books say of asset and pot. */
  const state = async () => {
    const { step, prepares } = await advanceTermination(context, moment());
    const rows = await service.sql.run<{ asset: string; counted: number; pot: string }>`select a.status as asset,
        v.counted_assets as counted, t.pot_lovelace as pot
        from vaults v join terminations t on t.vault_id = v.id join assets a on a.vault_id = v.id where v.id = ${vaultId}`;
    return { step, prepares, ...rows[0] };
  };
  const pot = '30000000';
  const taken = [
    {
      step: 'hand_over',
      prepare: prepareHandOver,
      before: { asset: 'LOCKED', pot },
      confirmed: { asset: 'RELEASED', pot },
    },
    { step: 'pay_remainder', prepare: prepareRemainder, before: { asset: 'RELEASED' }, confirmed: { pot: '0' } },
    { step: 'close_vault', prepare: prepareClosing, before: { pot: '0' }, confirmed: { pot: '0' } },
  ];
  for (const { step, prepare, before, confirmed } of taken) {
    const begun = await state();
    expect(begun).toMatchObject({ step, prepares: true, ...before });
    const take = async () => sendPrepared(service, await prepare(context, moment()));
    const lost = await doubleSpend(service, {
      send: take,
      confirmed: async () => {
        expect(await state()).toMatchObject({ step, prepares: false, ...confirmed });
      },
      spend: () => spendOperatorFunds(service),
    });
    expect(await state()).toEqual(begun);
    expect(await take()).not.toBe(lost);
    await service.ledger.mine(CONFIRMATION_DEPTH);
    await followerOf(service).catchUp();
  }
  expect(await state()).toMatchObject({ step: 'ended' });
  expect((await getVault(service.db, vaultId)).status).toBe('TERMINATED');
  const unit = villa.policy_id + Buffer.from(villa.asset_name).toString('hex');
  const held = await heldAt(service, heir, unit);
  expect(held).toMatchObject({ tokens: 1n, outputs: 2 });
  // The pot, and all of the 2 ADA that lay with the asset.
  expect(held.lovelace).toBe(32_000_000n);
});

test('a move of a rotation that a fork double-spends has moved nothing, and is built again', async () => {
  await using service = await apiService();
  const vaultId = await vaultWithTokens(service, newWallet());
  // No worker sends what creates it, and custody changes only when nothing is on its way there.
  await service.sql.run`update chain_transactions set state = 'failed' where vault_id = ${vaultId}`;
  const { contractAddress: custody } = await getVault(service.db, vaultId);
  const gate = await addCustodyNft(service, { vaultId, custody });
  const unit = gate.policy_id + Buffer.from(gate.asset_name).toString('hex');
  await rotateNow(service, vaultId);
  const { id: rotationId } = await newestRotation(service, vaultId);
  const context = workerContextOf(service);
  const stage = () => advanceRotation(context, { rotationId, now: wallClock.now() });
  const move = async () => sendPrepared(service, await prepareMove(context, { vaultId, now: wallClock.now() }));

  expect(await stage()).toMatchObject({ step: 'move_outputs', prepares: true });
  const lost = await doubleSpend(service, {
    send: move,
    confirmed: async () => {
      expect(await stage()).toMatchObject({ step: 'move_outputs', prepares: false });
      expect(await heldAt(service, custody, unit)).toMatchObject({ tokens: 0n });
    },
    spend: () => spendOperatorFunds(service),
  });
  expect(await stage()).toMatchObject({ step: 'move_outputs', prepares: true });
  expect(await heldAt(service, custody, unit)).toMatchObject({ tokens: 1n });
  expect(await move()).not.toBe(lost);
  await service.ledger.mine(CONFIRMATION_DEPTH);
  await followerOf(service).catchUp();
  expect(await stage()).toMatchObject({ step: 'finished' });
  expect((await rotatedCustody(service, vaultId, custody)).held.get(unit)).toBe(1n);
});

test('a refund of which an owner takes the deposit on a fork has returned nothing, and the others are refunded again', async () => {
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
    const rows = await service.sql.run<{ status: string; reason: string | null }>`select status,
        release_reason as reason from assets where vault_id = ${vaultId} order by id`;
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
    confirmed: async () => {
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
