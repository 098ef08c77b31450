import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { paymentKeyHashOf } from '../../src/cardano/scripts/address.ts';
import { instant } from '../../src/platform/units/time.ts';
import { storedCosigners } from '../../src/platform/database/stored-json.ts';
import { executeBody } from '../governance/execution-requests.ts';
import { vaultWithCustody, createPassedProposal } from '../governance/vault-with-custody.ts';
import { makeStakeFinal, vaultWithTokens } from '../governance/vault-with-tokens.ts';
import { mineUntil } from '../vault-lifecycle/mine-until.ts';
import { fundWallet, person, waitForTransaction } from '../vault-lifecycle/participants.ts';
import { submitDirectly } from '../vault-lifecycle/direct-submission.ts';
import { advance, waitForVaultStatus, createVault } from '../vault-lifecycle/vault-requests.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { fileStack } from '../stack/file-stack.ts';
import { waitForWorkflowDetails } from '../stack/workflow-details.ts';
import { type ApiService, apiService, newWallet } from './api-service.ts';
import { logIn } from './logged-in-wallet.ts';
import { errorResponse } from '../stack/error-response.ts';

interface Invested {
  data: { transaction: { hash: string; unsignedTx: string } };
}
interface Staked {
  readonly data: { readonly id: string; readonly transaction: { readonly hash: string } };
}
interface Frozen {
  readonly data: { readonly transaction: { readonly hash: string } };
}

let service: ApiService;
let investments: string;
beforeAll(async () => {
  service = await apiService();
  const vaultId = await createVault(service, newWallet().address);
  investments = `/vaults/${vaultId}/investments`;
});
afterAll(() => service[Symbol.asyncDispose]());

const requestInvestment = (wallet: { address: string }) =>
  service.api.post<Invested>(investments, { walletAddress: wallet.address, lovelace: 5_000_000 });
const withdrawn = 'withdrawn before it was signed';

const stackOfFile = fileStack({ blockMs: 0 });

test('withdrawing an unsigned transaction frees its inputs at once, and its signature is refused afterwards', async () => {
  const wallet = await service.fundedWallet();
  const { transaction: given } = (await requestInvestment(wallet)).body.data;
  expect(await requestInvestment(wallet)).toMatchObject(errorResponse(400, 'INSUFFICIENT_FUNDS'));
  const path = `/transactions/${given.hash}`;
  const once = await service.api.del(path);
  expect(once).toMatchObject({
    status: 200,
    body: { data: { hash: given.hash, status: 'awaiting_signatures', error: withdrawn } },
  });
  expect(once.body).not.toHaveProperty('data.unsignedTx');
  expect(await service.api.del(path)).toMatchObject({ status: 200, body: { data: { error: withdrawn } } });

  const again = await requestInvestment(wallet);
  expect(again.status).toBe(201);
  const witnesses = (unsigned: string) => ({ witnessSet: wallet.sign(unsigned) });
  expect(await service.api.post(`${path}/witnesses`, witnesses(given.unsignedTx))).toMatchObject(
    errorResponse(400, 'TRANSACTION_EXPIRED', { reason: withdrawn }),
  );
  const { hash, unsignedTx: unsigned } = again.body.data.transaction;
  const signed = await service.api.post(`/transactions/${hash}/witnesses`, witnesses(unsigned));
  expect(signed).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
  const { rows } = await service.sql.query(
    `select (select count(*)::int from outbox where type = 'TRANSACTION_WITHDRAWN' and transaction_hash = $1) as published,
       (select count(*)::int from audit_log where action = 'TRANSACTION_WITHDRAWN' and resource_id = $1) as audited`,
    [given.hash],
  );
  expect(rows).toEqual([{ published: 1, audited: 1 }]);
});

test('a transaction that is signed, of the platform or of another wallet cannot be withdrawn', async () => {
  const wallet = await service.fundedWallet();
  const { transaction } = (await requestInvestment(wallet)).body.data;
  const path = `/transactions/${transaction.hash}`;
  const stranger = await logIn(service, signingWallet());
  expect(await service.api.del(path, undefined, stranger)).toMatchObject(
    errorResponse(403, 'INSUFFICIENT_PERMISSIONS'),
  );
  expect(await service.api.del(`/transactions/${'ab'.repeat(32)}`)).toMatchObject(
    errorResponse(404, 'TRANSACTION_NOT_FOUND'),
  );
  const rows = await service.sql.run<{ hash: string }>`select hash from chain_transactions
      where kind = 'create_vault'`;
  const platform = await service.api.del(`/transactions/${rows[0]?.hash ?? ''}`);
  expect(platform).toMatchObject(errorResponse(400, 'TRANSACTION_NOT_WITHDRAWABLE'));

  const vault = await vaultWithCustody(service);
  const id = await createPassedProposal(service, vault, { action_type: 'liquidate' }, 1);
  const body = executeBody(vault.big, [vault.middle], { type: 'liquidate', details: {} });
  const frozen = await service.api.post<Frozen>(`/proposals/${id}/executions`, body);
  const execution = await service.api.del(`/transactions/${frozen.body.data.transaction.hash}`);
  expect(execution).toMatchObject(errorResponse(400, 'TRANSACTION_NOT_WITHDRAWABLE'));

  await service.api.post(`${path}/witnesses`, { witnessSet: wallet.sign(transaction.unsignedTx) });
  const late = { kind: 'invest', status: 'pending' };
  expect(await service.api.del(path)).toMatchObject(errorResponse(400, 'TRANSACTION_NOT_WITHDRAWABLE', late));
  expect(await service.api.get(path)).toMatchObject({ body: { data: { status: 'pending', error: null } } });
});

test('whoever may return a gift can withdraw a return that cosigners do not sign, which frees its outputs', async () => {
  const { api, sql } = service;
  const vaultId = await createVault({ api }, newWallet().address);
  const keyHashes = [newWallet(), newWallet()].map(({ address }) => paymentKeyHashOf(address));
  const cosigners = storedCosigners({ required: 1, keyHashes, alone: { from: instant(0), fromSlot: 0 } });
  await sql.run`update vaults set custody = ${JSON.stringify(cosigners)} where id = ${vaultId}`;
  const gift = { txHash: 'cd'.repeat(32), index: 0 };
  await sql.run`insert into unsolicited_outputs (tx_hash, output_index, vault_id, place, address, lovelace, assets,
      seen_at)
      select ${gift.txHash}, ${gift.index}, id, 'custody', contract_address, 5000000, '{}', now() from vaults where id = ${vaultId}`;
  const giveBack = () =>
    api.post<Frozen>(`/vaults/${vaultId}/unsolicited/returns`, { outputs: [gift], address: newWallet().address });
  const waiting = { status: 201, body: { data: { transaction: { status: 'awaiting_signatures' } } } };
  const first = await giveBack();
  expect(first).toMatchObject(waiting);
  expect(await giveBack()).toMatchObject(errorResponse(400, 'UNSOLICITED_OUTPUT_LEAVING'));
  const path = `/transactions/${first.body.data.transaction.hash}`;
  const stranger = await logIn(service, signingWallet());
  expect(await api.del(path, undefined, stranger)).toMatchObject(errorResponse(403, 'INSUFFICIENT_PERMISSIONS'));
  const ended = { status: 200, body: { data: { status: 'expired', error: withdrawn } } };
  expect(await api.del(path)).toMatchObject(ended);
  expect(await api.del(path)).toMatchObject(ended);
  expect(await giveBack()).toMatchObject(waiting);
});

test('a stake counts again after its owner withdraws the unstake transaction, and can be unstaked later', async () => {
  const wallet = signingWallet();
  const vaultId = await vaultWithTokens(service, wallet);
  const asOwner = await logIn(service, wallet);
  const given = await service.api.post<Staked>(`/vaults/${vaultId}/stakes`, { amount: 5 }, asOwner);
  await service.api.del(`/transactions/${given.body.data.transaction.hash}`, undefined, asOwner);
  const staking = await service.api.post<Staked>(`/vaults/${vaultId}/stakes`, { amount: 12 }, asOwner);
  const { id } = staking.body.data;
  await makeStakeFinal(service, id);
  expect(await service.api.get(`/wallets/${wallet.address}/voting-power`, asOwner)).toMatchObject({
    body: { data: { powers: [{ staked: 12, votingPower: 12 }] } },
  });
  const leaving = await service.api.del<Staked>(`/stakes/${id}`, undefined, asOwner);
  const path = `/transactions/${leaving.body.data.transaction.hash}`;
  expect(await service.api.get(`/stakes/${id}`, asOwner)).toMatchObject({ body: { data: { votingPower: 0 } } });

  expect(await service.api.del(path, undefined, asOwner)).toMatchObject({
    status: 200,
    body: { data: { status: 'expired', error: withdrawn } },
  });
  expect(await service.api.get(`/stakes/${id}`, asOwner)).toMatchObject({
    body: { data: { status: 'ACTIVE', votingPower: 12, allowedActions: [{ action: 'unstake', allowed: true }] } },
  });
  const later = await service.api.del<Staked>(`/stakes/${id}`, undefined, asOwner);
  expect(later.status).toBe(200);
  expect(later.body.data.transaction.hash).not.toBe(leaving.body.data.transaction.hash);
});

test('a wallet that withdraws repeatedly near the end of a window can still request a new transaction', async () => {
  const wallet = await service.fundedWallet();
  const vaultId = await createVault(service, newWallet().address);
  const vault = `/vaults/${vaultId}`;
  const { body } = await service.api.get<{ data: { investmentWindow: { endTime: string } } }>(vault);
  const { nowMs } = await service.ledger.clock();
  await service.advance(Math.floor((Date.parse(body.data.investmentWindow.endTime) - nowMs) / 1000) - 900);
  const asking = { walletAddress: wallet.address, lovelace: 5_000_000 };
  for (let time = 0; time < 12; time += 1) {
    const asked = await service.api.post<Invested>(`${vault}/investments`, asking);
    expect(asked.status).toBe(201);
    expect(await service.api.del(`/transactions/${asked.body.data.transaction.hash}`)).toMatchObject({
      status: 200,
    });
  }
});

test('a withdrawn deposit that is never sent expires as withdrawn', async () => {
  const stack = stackOfFile();
  const investor = person(87);
  const vaultId = await createVault(stack, person(85).address);
  await mineUntil(stack, fundWallet(stack, investor, { ada: 100 }));
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'ACTIVE'));
  const asked = { walletAddress: investor.address, lovelace: 20_000_000 };
  const { body } = await stack.api.post<Invested>(`/vaults/${vaultId}/investments`, asked);
  const path = `/transactions/${body.data.transaction.hash}`;
  expect(await stack.api.del(path)).toMatchObject({ status: 200 });
  await advance(stack, 3600);
  const ended = { status: 200, body: { data: { status: 'expired', error: withdrawn } } };
  expect(await stack.api.get(path)).toMatchObject(ended);
  expect(await stack.api.del(path)).toMatchObject(ended);
});

test('a withdrawn deposit that its wallet signs and sends directly still counts', async () => {
  const stack = stackOfFile();
  const investor = person(86);
  const vaultId = await createVault(stack, person(85).address);
  await mineUntil(stack, fundWallet(stack, investor, { ada: 100 }));
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'ACTIVE'));
  const asked = { walletAddress: investor.address, lovelace: 20_000_000 };
  const { body } = await stack.api.post<Invested>(`/vaults/${vaultId}/investments`, asked);
  const { hash, unsignedTx: unsigned } = body.data.transaction;
  expect(await stack.api.del(`/transactions/${hash}`)).toMatchObject({ status: 200 });
  await waitForWorkflowDetails(stack, hash, 'Withdrawn. It accepts no signatures.');
  await submitDirectly(stack, investor, unsigned);
  await mineUntil(stack, waitForTransaction(stack, hash, ['final']));
  expect(await stack.api.get(`/transactions/${hash}`)).toMatchObject({ body: { data: { error: null } } });
  expect(await stack.api.get(`/vaults/${vaultId}/investments`)).toMatchObject({
    body: { data: { investments: [{ status: 'CONFIRMED', lovelace: '20000000' }] } },
  });
});
