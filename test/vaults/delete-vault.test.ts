import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { wallClock } from '../../src/platform/units/time.ts';
import { eraseDeletedVaults } from '../../src/vaults/end-vault.ts';
import { readProof } from '../anchoring/anchor-proof.ts';
import { lockedVault, propose, voteBody } from '../governance/staked-vault.ts';
import { type ApiService, apiService } from './api-service.ts';
import { errorResponse } from '../stack/error-response.ts';
import { createVault } from '../vault-lifecycle/vault-requests.ts';

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

interface Deleted {
  readonly data: { readonly transaction: { readonly hash: string; readonly proof: string } };
}

const notFound = errorResponse(404, 'VAULT_NOT_FOUND');
const refused = (details: object) => errorResponse(400, 'VAULT_NOT_DELETABLE', details);
const blocked = (...blockedBy: string[]) => refused({ status: 'TERMINATED', blockedBy });
const remove = (vaultId: string) => service.api.del<Deleted>(`/vaults/${vaultId}`);

/** Ends a vault in the database, as a refund of everything would. */
const end = (vaultId: string) =>
  service.sql.query(
    `update vaults set status = 'TERMINATED', termination_reason = 'cancelled', terminated_at = now() where id = $1`,
    [vaultId],
  );

/** An ended vault with released stakes, and a proposal with votes that has ended. */
async function endedVault() {
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 50_000]);
  const proposalId = await propose(service, vaultId, proposer);
  const votes = await Promise.all(
    voters.map((voter) =>
      service.api.post<{ vote_id: string }>(`/proposals/${proposalId}/votes`, voteBody(voter, 1, 'yes')),
    ),
  );
  await service.sql.run`update proposals
      set status = 'FAILED', failure_reason = 'rejected', ended_at = now(), released_at = now()
      where id = ${proposalId}`;
  await service.sql.run`update stakes
     set status = 'RELEASED', release_reason = 'unstaked', used_power = 0, locked_until = null
     where vault_id = ${vaultId}`;
  await service.sql.run`update chain_transactions set state = 'final' where vault_id = ${vaultId}`;
  await end(vaultId);
  return { vaultId, proposalId, voteId: votes[0]!.body.vote_id, wallet: proposer };
}

/** The tables that still have a row of the vault. */
async function tablesWith(vaultId: string): Promise<string[]> {
  const rows = await service.sql.run<{ name: string }>`select table_name as name from information_schema.columns
      where column_name = 'vault_id' and table_schema = 'public'`;
  const found = await Promise.all(
    rows.map(async ({ name }) => {
      const { rowCount } = await service.sql.query(`select from ${name} where vault_id = $1 limit 1`, [vaultId]);
      return rowCount === 0 ? [] : [name];
    }),
  );
  return found.flat().toSorted();
}

const count = async (table: string, proposalId: string) =>
  (await service.sql.query(`select from ${table} where proposal_id = $1`, [proposalId])).rowCount;

test('a deleted vault is gone for every reader and its rows are erased, but the proofs and the audit log stay', async () => {
  const [{ vaultId, proposalId, voteId, wallet }, other] = [await endedVault(), await endedVault()];
  const deleted = await remove(vaultId);
  expect(deleted).toMatchObject({ status: 200, body: { data: { vaultId } } });

  for (const path of ['', '/valuation', '/assets', '/activity', '/metrics', '/proposals', '/stakes'])
    expect(await service.api.get(`/vaults/${vaultId}${path}`)).toMatchObject(notFound);
  expect(await service.api.get(`/proposals/${proposalId}`)).toMatchObject({ status: 404 });
  expect(await service.api.get(`/votes/${voteId}`)).toMatchObject({ status: 404 });
  for (const list of ['/vaults?limit=100', `/wallets/${wallet}/vaults`])
    expect(JSON.stringify((await service.api.get(list)).body)).not.toContain(vaultId);
  expect(await remove(vaultId)).toMatchObject(notFound);

  // A crash after any batch leaves a vault that nobody sees, and the next sweep continues.
  await eraseDeletedVaults(service.db, wallClock.now(), 1);
  expect(await count('votes', proposalId)).toBe(0);
  expect(await tablesWith(vaultId)).toContain('proposals');
  await eraseDeletedVaults(service.db, wallClock.now());
  expect(await tablesWith(vaultId)).toEqual(['anchor_facts', 'chain_transactions', 'outbox', 'vault_keys']);
  expect(await count('votes', other.proposalId)).toBe(2);
  expect(await tablesWith(other.vaultId)).toContain('stakes');

  const { transaction } = deleted.body.data;
  for (const factId of [voteId, transaction.proof.split('/')[4]!]) await readProof(service, factId);
  expect(JSON.parse((await readProof(service, transaction.proof.split('/')[4]!)).fact)).toMatchObject({
    kind: 'vault_deleted',
    vaultId,
  });
  expect((await service.api.get(`/audit-log?resourceId=${vaultId}`)).body).toMatchObject({
    data: { entries: [{ action: 'VAULT_DELETED' }, { action: 'VAULT_CREATED' }] },
  });
  const listed = await service.api.get(`/transactions?vaultId=${vaultId}&kind=create_vault`);
  const { data } = listed.body as { data: { transactions: { hash: string }[] } };
  expect(await service.api.get(`/transactions/${data.transactions[0]!.hash}`)).toMatchObject({ status: 200 });
});

test('a vault that holds or owes anything, or that is in use, is not deleted, and the refusal says why', async () => {
  const owner = await service.fundedWallet({ Boat: '1' });
  const vaultId = await createVault(service, owner.address);
  const set = (statement: string, ...values: unknown[]) => service.sql.query(statement, [vaultId, ...values]);
  const asset = { policy_id: owner.policyId, asset_name: 'Boat', wallet_address: owner.address };
  expect(await service.api.post(`/vaults/${vaultId}/assets`, asset)).toMatchObject({ status: 201 });
  expect(await remove(vaultId)).toMatchObject(refused({ status: 'DRAFT', blockedBy: ['transactions'] }));
  for (const status of ['ACTIVE', 'LOCKED']) {
    await set('update vaults set status = $2 where id = $1', status);
    expect(await remove(vaultId)).toMatchObject(refused({ status }));
  }
  await end(vaultId);
  const adding = `update chain_transactions set state = $2, expires_at = $3 where vault_id = $1 and kind = 'add_asset'`;
  await set(adding, 'failed', new Date(Date.now() + 60_000));
  expect(await remove(vaultId)).toMatchObject(blocked('transactions'));
  await set(adding, 'final', new Date());
  await set(`update assets set status = 'LOCKED' where vault_id = $1`);
  expect(await remove(vaultId)).toMatchObject(blocked('deposits'));
  await set(`update assets set status = 'RELEASED', release_reason = 'refunded' where vault_id = $1`);

  const rows = await service.sql.run<{ id: string; address: string }>`select t.id, v.contract_address as address
      from chain_transactions t join vaults v on v.id = t.vault_id where v.id = ${vaultId} limit 1`;
  const { id, address } = rows[0]!;
  await service.sql.run`insert into quarantine (transaction_id, from_state, to_state, is_rollback, error, attempts, at,
     attempted_at)
     values (${id}, 'submitted', 'confirmed', false, 'broken', 1, now(), now())`;
  await set(
    `insert into unsolicited_outputs (tx_hash, output_index, vault_id, place, address, lovelace, assets, seen_at)
     values ($2, 0, $1, 'custody', $3, 1, '[]', now())`,
    randomUUID(),
    address,
  );
  expect(await remove(vaultId)).toMatchObject(blocked('unsolicited_outputs', 'quarantine'));
  await service.sql.run`delete from quarantine`;
  await set('update unsolicited_outputs set gone_at = now() where vault_id = $1');
  await service.ledger.faucet({ address, lovelace: '2000000' });
  await service.ledger.mine();
  expect(await remove(vaultId)).toMatchObject(blocked('value_on_ledger'));
  expect(await service.api.get(`/vaults/${vaultId}`)).toMatchObject({ status: 200 });
});

test('a stake or a proposal that has not ended keeps its vault', async () => {
  const { vaultId, proposalId } = await endedVault();
  await service.sql.run`update proposals set released_at = null where id = ${proposalId}`;
  await service.sql.run`update stakes set status = 'ACTIVE', release_reason = null where vault_id = ${vaultId}`;
  expect(await remove(vaultId)).toMatchObject(blocked('stakes', 'proposals'));
});
