import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { claimsScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { scriptAddress } from '../../src/cardano/scripts/address.ts';
import { wallClock } from '../../src/platform/units/time.ts';
import { advanceTermination } from '../../src/termination/advance-termination.ts';
import { prepareGathering } from '../../src/termination/prepare-transactions.ts';
import { findTransaction } from '../../src/transactions/queries/transactions.ts';
import { getVault } from '../../src/vaults/queries/vaults.ts';
import { workerContextOf } from '../follower/double-spend.ts';
import { recordTransaction } from '../governance/record-transaction.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { claimClient, refusal } from './claim-client.ts';
import { changeState, countedPot, heldAt, land, vaultWithPot } from './vault-with-pot.ts';

const ADA = 1_000_000n;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

/** The deadline is over, and what nobody has claimed is paid. */
async function terminate(vaultId: string): Promise<void> {
  const { sql } = service;
  await sql.run`update terminations
      set claim_deadline = now(), ended_because = 'claim_deadline', claims_ended_at = now(), pot_lovelace = 0
      where vault_id = ${vaultId}`;
  await sql.run`update vaults
      set status = 'TERMINATED', termination_reason = failed_because, terminated_at = now(), claims_open = false
      where id = ${vaultId}`;
}

async function endedVault() {
  const [holder, heir] = [newWallet(), newWallet()];
  const holding = { address: holder.address, tokens: 10n };
  const { vaultId } = await vaultWithPot(service, [holding], { outputs: [10n * ADA], unclaimedTo: heir.address });
  return { vaultId, holder };
}

async function stateOf(vaultId: string) {
  const rows = await service.sql.run<{ status: string; open: boolean; ended: string | null; starts: number }>`
        select status, claims_open as open, ended_because as ended,
        (select count(*)::int from workflow_notices where workflow_id = 'vault-' || vaults.id and message ->> 'again' = 'true') as starts
      from vaults join terminations on vault_id = id where id = ${vaultId}`;
  return rows[0];
}

/** A vault whose custody has nine ADA, of which a holder gets everything once they are gathered. */
async function vaultToGather(holder: string, unclaimedTo: string) {
  const { sql, db, ledger } = service;
  const { vaultId } = await vaultWithPot(service, [{ address: holder, tokens: 10n }], { outputs: [], unclaimedTo });
  const { contractAddress } = await getVault(db, vaultId);
  const { txHash } = await ledger.faucet({ address: contractAddress, lovelace: String(9n * ADA) });
  await ledger.mine();
  await recordTransaction(service, vaultId, txHash, 'liquidity');
  await sql.run`update terminations
      set claims_opened_at = null, claim_deadline = null, pot_lovelace = 0, circulating = 0
      where vault_id = ${vaultId}`;
  await sql.run`update vaults set claims_open = false, ft_supply = 10 where id = ${vaultId}`;
  const context = workerContextOf(service);
  const moment = () => ({ vaultId, now: wallClock.now() });
  const stage = () => advanceTermination(context, moment());
  return {
    vaultId,
    stage,
    /** Gathers what the vault has, which opens the claims; returns its hash and the pot. */
    gather: async () => {
      expect(await stage()).toMatchObject({ step: 'gather_pot', prepares: true });
      const prepared = await prepareGathering(context, moment());
      const { hash } = (await findTransaction(db, prepared?.transactionId ?? '')) ?? { hash: '' };
      await land(service, hash);
      await changeState(service, hash, { to: 'final' });
      expect(await stage()).toMatchObject({ step: 'claims', prepares: false });
      return { hash, pot: await countedPot(service, vaultId) };
    },
  };
}

async function addressesOf(vaultId: string) {
  const { vaultKeyHash, contractAddress: custody } = await getVault(service.db, vaultId);
  return { custody, potAddress: scriptAddress(claimsScript({ vaultKeyHash }), 0) };
}

const rollBack = (hash: string) => changeState(service, hash, { to: 'submitted', direction: 'rollback', block: null });

test('a claim that a rollback takes back for good after its vault was TERMINATED can be made again for a day', async () => {
  const { vaultId, holder } = await endedVault();
  const client = claimClient(service);
  const { transaction } = await client.paid(vaultId, holder, { amount: '0.000004' });
  await changeState(service, transaction.hash, { to: 'final' });
  await terminate(vaultId);
  expect(await client.ask(vaultId, holder)).toMatchObject(refusal('CLAIMS_CLOSED'));

  await rollBack(transaction.hash);
  expect(await stateOf(vaultId)).toMatchObject({ status: 'TERMINATED', ended: 'claim_deadline' });
  await service.sql.run`update terminations set pot_lovelace = 10000000 where vault_id = ${vaultId}`;
  await changeState(service, transaction.hash, { to: 'expired', reason: 'a test' });
  expect(await stateOf(vaultId)).toEqual({ status: 'LOCKED', open: true, ended: null, starts: 1 });
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: 10n * ADA, circulating: 10n });
  type VaultRead = { readonly data: { readonly allowedActions: readonly object[] } };
  const { body } = await service.api.get<VaultRead>(`/vaults/${vaultId}`);
  expect(body.data.allowedActions).toContainEqual({ action: 'claim', allowed: true, reason: null });
});

test('what was paid out after the claims and a rollback takes back for good is paid again, although the vault was TERMINATED', async () => {
  const { vaultId } = await endedVault();
  await terminate(vaultId);
  for (const [index, kind] of ['hand_over', 'pay_remainder', 'close_vault'].entries()) {
    await service.sql.run`update vaults
        set status = 'TERMINATED', termination_reason = failed_because, terminated_at = now() where id = ${vaultId}`;
    const hash = `${index}${vaultId.replaceAll('-', '')}`.padEnd(64, '0');
    await recordTransaction(service, vaultId, hash, kind);
    await rollBack(hash);
    expect(await stateOf(vaultId)).toMatchObject({ status: 'TERMINATED', starts: index });
    await changeState(service, hash, { to: 'failed', reason: 'a test' });
    expect(await stateOf(vaultId)).toEqual({
      ...{ status: 'LOCKED', open: false, ended: 'claim_deadline', starts: index + 1 },
    });
  }
  expect(await countedPot(service, vaultId)).toMatchObject({ circulating: 10n });
  const rows = await service.sql.run`select terminated_at, termination_reason, locked_at is not null as settled
      from vaults where id = ${vaultId}`;
  expect(rows).toEqual([{ terminated_at: null, termination_reason: null, settled: true }]);
});

test.each([true, false])(
  'a pot whose gathering a rollback takes back for good is gathered again before anybody claims, also if its vault was TERMINATED (%s)',
  async (isTerminated) => {
    const [holder, heir] = [newWallet(), newWallet()];
    const { vaultId, gather } = await vaultToGather(holder.address, heir.address);
    const client = claimClient(service);
    const { hash: lost, pot } = await gather();
    expect(pot).toMatchObject({ circulating: 10n });
    if (isTerminated) await terminate(vaultId);

    await service.ledger.rollback(1);
    await rollBack(lost);
    expect(await stateOf(vaultId)).toMatchObject({ open: !isTerminated, starts: 0 });
    await changeState(service, lost, { to: 'failed', reason: 'a test' });
    expect(await stateOf(vaultId)).toEqual({ status: 'LOCKED', open: false, ended: null, starts: 1 });
    expect(await client.ask(vaultId, holder)).toMatchObject(refusal('CLAIMS_NOT_OPEN'));
    const told = await service.sql.run`select transaction_hash as by from outbox
        where vault_id = ${vaultId} and type = 'CLAIMS_WITHDRAWN'`;
    expect(told).toEqual([{ by: lost }]);

    const again = await gather();
    expect(again.hash).not.toBe(lost);
    expect(again.pot).toEqual(pot);
    const { payoutLovelace } = await client.paid(vaultId, holder);
    expect(BigInt(payoutLovelace)).toBe(pot.lovelace);
    expect((await heldAt(service, holder.address, '')).lovelace).toBeGreaterThan(pot.lovelace);
  },
);

test('claims that open again have what was sold into the pot, less what claims on the ledger have been paid', async () => {
  const { vaultId, gather, stage } = await vaultToGather(newWallet().address, newWallet().address);
  const { pot } = await gather();
  // As if another gathering, which nothing undoes, had brought what a claim was paid from.
  const { potAddress, custody } = await addressesOf(vaultId);
  const held = (address: string, coin: bigint) => {
    return { txHash: 'cd'.repeat(32), index: 0, address, lovelace: coin.toString(), assets: {} };
  };
  const records = [
    { kind: 'gather_pot', inputs: [held(custody, 20n * ADA)], outputs: [held(potAddress, 21n * ADA)] },
    { kind: 'execute', inputs: [], outputs: [held(potAddress, 5n * ADA)] },
  ];
  for (const [index, { kind, inputs, outputs }] of records.entries()) {
    const hash = `${index}${vaultId.replaceAll('-', '')}`.padEnd(64, '0');
    await recordTransaction(service, vaultId, hash, kind);
    await service.sql.run`update chain_transactions
        set inputs = ${JSON.stringify(inputs)}, outputs = ${JSON.stringify(outputs)} where hash = ${hash}`;
  }
  await service.sql.query(
    `insert into claims (id, vault_id, wallet, amount, payout, status, claim_transaction_id, created_at, updated_at)
       select gen_random_uuid(), $1, '', 4, $2, 'PAID', id, now(), now() from chain_transactions where vault_id = $1 and hash like '1%' limit 1`,
    [vaultId, (2n * ADA).toString()],
  );
  await service.sql.run`update terminations set claims_opened_at = null, claim_deadline = null
      where vault_id = ${vaultId}`;
  expect(await stage()).toMatchObject({ step: 'claims' });
  // 20 ADA were gathered and 5 brought by a sale; a claim has returned four tokens for 2.
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: pot.lovelace + 23n * ADA, circulating: 6n });
});
