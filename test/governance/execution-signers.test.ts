import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { z } from 'zod';
import {
  Address,
  Credential,
  EnterpriseAddress,
  NativeScript as CslScript,
} from '@emurgo/cardano-serialization-lib-nodejs';
import { scriptJson } from '../../src/cardano/scripts/native-script.ts';
import { custodyScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { instant } from '../../src/platform/units/time.ts';
import type { CustodyScript } from '../../src/vaults/routes/response.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { logIn } from '../vaults/logged-in-wallet.ts';
import { execute, type ExecuteAnswer, executeBody } from './execution-requests.ts';
import { addCustodyNft, vaultWithCustody, createPassedProposal } from './vault-with-custody.ts';
import { errorResponse } from '../stack/error-response.ts';

interface ExecutionResponse {
  readonly data: { readonly transaction: { readonly hash: string; readonly unsignedTx: string } };
}

const PRICE = 600_000_000;
type Wallet = ReturnType<typeof newWallet>;

let service: ApiService;
beforeAll(async () => {
  service = await apiService();
});
afterAll(() => service[Symbol.asyncDispose]());

const sign = (hash: string, unsigned: string, signer: Wallet) =>
  service.api.post(`/transactions/${hash}/witnesses`, { witnessSet: signer.sign(unsigned) });

async function countByStatus(proposalId: string): Promise<Record<string, number>> {
  const rows = await service.sql.run<{ status: string; count: number }>`select status, count(*)::int as count
      from executions where proposal_id = ${proposalId} group by status`;
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Hashes of the executions that lease outputs of a vault's custody. */
async function leasingHashes(vaultId: string): Promise<string[]> {
  const rows = await service.sql.run<{ hash: string }>`select distinct hash
      from utxo_leases l join chain_transactions t on t.id = l.transaction_id
      where t.kind = 'execute' and t.vault_id = ${vaultId}`;
  return rows.map(({ hash }) => hash);
}

/** A vault with three registered cosigners, two of whom must sign and none of whom has staked, and a sale that has passed. */
async function vaultWithCosigners() {
  const keyholders = [await service.fundedWallet({}, '900000000'), newWallet(), newWallet()] as const;
  const cosigners = keyholders.map(({ address }) => address);
  const vault = await vaultWithCustody(service, { cosigners, required_cosigners: 2 });
  const villa = await addCustodyNft(service, vault);
  const id = await createPassedProposal(service, vault, {
    action_type: 'sell_asset',
    affected_assets: [villa],
    terms: { price: PRICE },
  });
  const action = { type: 'sell_asset', details: { ...villa, price: PRICE } };
  return { vault, keyholders, id, action };
}

interface VaultAnswer {
  readonly data: { readonly settlesBy: string; readonly custodyScript: z.infer<typeof CustodyScript> };
}

test('a vault publishes the script of its custody, and from when on its cosigners need no key of it', async () => {
  const { vault, keyholders } = await vaultWithCosigners();
  const { data } = (await service.api.get<VaultAnswer>(`/vaults/${vault.vaultId}`)).body;
  const { address, cbor, json, cosignersAloneFrom, slot } = data.custodyScript;
  expect(address).toBe(vault.custody);
  const hash = CslScript.from_hex(cbor).hash();
  expect(EnterpriseAddress.new(0, Credential.from_scripthash(hash)).to_address().to_bech32()).toBe(address);
  expect(Date.parse(cosignersAloneFrom ?? '') - Date.parse(data.settlesBy)).toBe(6 * 365 * 86_400_000);
  const keyHashes = keyholders.map(({ keyHash }) => keyHash);
  const cosigners = { required: 2, keyHashes, alone: { from: instant(0), fromSlot: slot ?? 0 } };
  expect(json).toEqual(scriptJson(custodyScript({ vaultKeyHash: vault.vaultKeyHash, cosigners })));
});

test('only the cosigners registered at the vault’s creation may cosign, at least k of them, each key once', async () => {
  const { api } = service;
  const { vault, keyholders, id, action } = await vaultWithCosigners();
  const [first, second, third] = keyholders;
  const { vaultKeyHash, big, middle } = vault;
  const laxer = {
    proposer: big.address,
    proposal_details: { title: 'Alone', description: '', action_type: 'liquidate' },
    governance_thresholds: { required_cosigners: 1 },
  };
  expect(await api.post(`/vaults/${vault.vaultId}/proposals`, laxer)).toMatchObject(
    errorResponse(400, 'THRESHOLD_BELOW_VAULT', { errors: [{ field: 'governance_thresholds.required_cosigners' }] }),
  );

  const bodyFor = (...cosigners: readonly Wallet[]) => executeBody(first, cosigners, action);
  const tooFew = errorResponse(403, 'INSUFFICIENT_SIGNATURES', { required: 2, present: 1 });
  expect(await execute(service, id, bodyFor(first))).toMatchObject(tooFew);
  const sameKey = { ...first, address: Address.from_hex(`00${first.keyHash}${second.keyHash}`).to_bech32() };
  expect(await execute(service, id, bodyFor(first, sameKey))).toMatchObject(tooFew);
  expect(await execute(service, id, bodyFor(first, big, middle))).toMatchObject(
    errorResponse(403, 'COSIGNER_NOT_ELIGIBLE'),
  );
  expect(await countByStatus(id)).toEqual({});

  const frozen = await api.post<ExecutionResponse>(`/proposals/${id}/executions`, bodyFor(second, third));
  expect(frozen).toMatchObject({ status: 201, body: { data: { multiSignature: { threshold: 3 } } } });
  const { hash: old, unsignedTx: oldBody } = frozen.body.data.transaction;
  expect(await sign(old, oldBody, second)).toMatchObject({ status: 200 });

  // The buyer may also be a cosigner: the key signs once.
  const { body } = await api.post<ExecutionResponse>(`/proposals/${id}/executions`, bodyFor(first, second));
  const { hash, unsignedTx } = body.data.transaction;
  expect(body).toMatchObject({ data: { multiSignature: { threshold: 2, signers: [] } } });
  const reused = { witnessSet: second.sign(oldBody) };
  expect(await api.post(`/transactions/${hash}/witnesses`, reused)).toMatchObject(
    errorResponse(400, 'WITNESS_FOR_ANOTHER_TRANSACTION'),
  );
  expect(await sign(hash, unsignedTx, first)).toMatchObject({ status: 200 });
  expect(await sign(hash, unsignedTx, third)).toMatchObject(errorResponse(400, 'WITNESS_NOT_REQUIRED'));
  expect(await execute(service, id, bodyFor(first, second))).toMatchObject({
    status: 403,
    body: { error: { details: { required: 2, present: 1, missingSigners: [second.address] } } },
  });
  const rows = await service.sql.run<{ keys: string[] }>`select required_signers as keys from chain_transactions
      where hash = ${hash}`;
  expect(rows[0]?.keys.toSorted()).toEqual([vaultKeyHash, first.keyHash, second.keyHash].toSorted());
});

test('a proposal with a cosigning threshold that leaves too few cosigners, or that requires more than there are, is refused', async () => {
  const vault = await vaultWithCustody(service, { required_cosigners: 2 });
  const proposing = (governance_thresholds: object) =>
    service.api.post(`/vaults/${vault.vaultId}/proposals`, {
      proposer: vault.big.address,
      proposal_details: { title: 'Alone', description: '', action_type: 'liquidate' },
      governance_thresholds,
    });
  const refused = (code: string, name: string) =>
    errorResponse(400, code, { errors: [{ field: `governance_thresholds.${name}` }] });
  const tooHigh = refused('THRESHOLD_BELOW_VAULT', 'cosigning_threshold');
  expect(await proposing({ cosigning_threshold: 100 })).toMatchObject(tooHigh);
  expect(await proposing({ cosigning_threshold: 50 })).toMatchObject(tooHigh);
  expect(await proposing({ required_cosigners: 3 })).toMatchObject(refused('INVALID_REQUEST', 'required_cosigners'));
  expect(await proposing({ cosigning_threshold: 30, required_cosigners: 2 })).toMatchObject({ status: 201 });
});

test('an idempotency key that was refused with INSUFFICIENT_SIGNATURES executes once everybody has signed, and then always returns the same answer', async () => {
  const { keyholders, id, action, vault } = await vaultWithCosigners();
  const [buyer, other] = keyholders;
  const body = executeBody(buyer, [buyer, other], action);
  const executeWithKey = () =>
    service.api.post<ExecuteAnswer>(`/proposals/${id}/execute`, body, {
      headers: { 'idempotency-key': 'sell-the-villa' },
    });
  const refused = await executeWithKey();
  expect(refused).toMatchObject(errorResponse(403, 'INSUFFICIENT_SIGNATURES'));
  const { tx_hash: hash, unsigned_tx: unsigned } = refused.body.error.details.transaction;
  expect(await sign(hash, unsigned, buyer)).toMatchObject({ status: 200 });
  expect(await executeWithKey()).toMatchObject({
    status: 403,
    body: { error: { details: { present: 1, transaction: { tx_hash: hash } } } },
  });
  expect(await sign(hash, unsigned, other)).toMatchObject({ status: 200 });

  const done = await Promise.all([executeWithKey(), executeWithKey(), executeWithKey()]);
  const answer = { status: 200, body: { transaction: { tx_hash: hash }, status: 'executed' } };
  expect(done).toMatchObject([answer, answer, answer]);
  expect(new Set(done.map(({ body: answered }) => JSON.stringify(answered))).size).toBe(1);
  expect(await countByStatus(id)).toEqual({ SENT: 1 });
  expect(await execute(service, id, body)).toMatchObject(errorResponse(400, 'EXECUTION_UNDER_WAY'));
  expect(await leasingHashes(vault.vaultId)).toEqual([hash]);
});

test('freezing and executing at the same time leaves one execution, and only a transaction with all signatures is sent', async () => {
  const { api } = service;
  const { keyholders, id, action, vault } = await vaultWithCosigners();
  const [buyer, other, third] = keyholders;
  const pairs = [other, third].map((second) => ({ second, body: executeBody(buyer, [buyer, second], action) }));
  const freeze = (body: object) => api.post<ExecutionResponse>(`/proposals/${id}/executions`, body);
  const [one, two] = pairs.map(({ body }) => body);
  if (!one || !two) throw new Error('two pairs can sign');
  const three = await Promise.all([freeze(one), freeze(one), execute(service, id, one)]);
  expect(three.map(({ status }) => status)).toEqual([201, 201, 403]);
  expect(await countByStatus(id)).toEqual({ FROZEN: 1 });
  expect(await leasingHashes(vault.vaultId)).toHaveLength(1);

  for (let round = 0; ; round += 1) {
    const { second, body } = pairs[round % 2] ?? { second: other, body: one };
    const replacing = round % 2 === 0 ? two : one;
    const { error } = (await execute(service, id, body)).body;
    const { tx_hash: hash, unsigned_tx: unsigned } = error.details.transaction;
    for (const signer of [buyer, second]) expect(await sign(hash, unsigned, signer)).toMatchObject({ status: 200 });
    const executing = [1, 2, 3, 4].map(() => execute(service, id, body));
    const [again, ...answers] = await Promise.all([freeze(replacing), ...executing]);
    const sent = answers.filter(({ status }) => status === 200);
    // The first request wins: the transaction is either sent and cannot be replaced, or replaced and cannot be sent.
    expect(sent).toHaveLength(again.status === 201 ? 0 : 1);
    const code = again.status === 201 ? 'FROZEN_FOR_ANOTHER_ACTION' : 'EXECUTION_UNDER_WAY';
    const others = answers.filter(({ status }) => status !== 200);
    expect(others.map((answer) => answer.body.error.code)).toEqual(others.map(() => code));
    expect(await leasingHashes(vault.vaultId)).toHaveLength(1);
    if (again.status === 201) continue;
    expect(again).toMatchObject(errorResponse(400, 'EXECUTION_UNDER_WAY'));
    expect(sent).toMatchObject([{ body: { transaction: { tx_hash: hash } } }]);
    expect(await countByStatus(id)).toMatchObject({ SENT: 1 });
    expect((await countByStatus(id))['FROZEN']).toBeUndefined();
    expect(await leasingHashes(vault.vaultId)).toEqual([hash]);
    return;
  }
});

test('a signed execution is refused for an executor without a role in it, and when a cosigner has no stake any more', async () => {
  const vault = await vaultWithCustody(service);
  const { big, middle, small, vaultId } = vault;
  const id = await createPassedProposal(service, vault, { action_type: 'liquidate' }, 1);
  const bodyFor = (executor: Wallet) => executeBody(executor, [middle], { type: 'liquidate', details: {} });
  const { body } = await service.api.post<ExecutionResponse>(`/proposals/${id}/executions`, bodyFor(big));
  const { hash, unsignedTx } = body.data.transaction;
  expect(await sign(hash, unsignedTx, middle)).toMatchObject({ status: 200 });

  expect(await execute(service, id, bodyFor(small))).toMatchObject(errorResponse(403, 'EXECUTOR_NOT_ELIGIBLE'));
  const stakes = (change: string) =>
    service.sql.query(`update stakes set ${change} where vault_id = $1 and wallet = $2`, [vaultId, middle.address]);
  await stakes("status = 'RELEASED', release_reason = 'unstaked'");
  expect(await execute(service, id, bodyFor(big))).toMatchObject(errorResponse(403, 'COSIGNER_NOT_ELIGIBLE'));
  expect(await countByStatus(id)).toEqual({ FROZEN: 1 });
  await stakes("status = 'ACTIVE', release_reason = null");
  expect(await execute(service, id, bodyFor(middle))).toMatchObject({ status: 200 });
  expect(await countByStatus(id)).toEqual({ SENT: 1 });
});

test('nobody executes for another wallet, without a role in the proposal, or with a key that lacks the permission', async () => {
  const [member, stranger] = [signingWallet(), signingWallet()];
  const vault = await vaultWithCustody(service);
  const id = await createPassedProposal(service, vault, { action_type: 'liquidate' }, 0);
  const action = { type: 'liquidate', details: {} };
  await service.sql.run`update proposals set proposer = ${member.address} where id = ${id}`;
  const as = { member: await logIn(service, member), stranger: await logIn(service, stranger) };
  const ask = (path: string, who: { address: string }, session: object) =>
    service.api.post(`/proposals/${id}/${path}`, { executing_user: who.address, cosigners: [], action }, session);
  for (const path of ['execute', 'executions']) {
    expect(await ask(path, member, as.stranger)).toMatchObject(errorResponse(403, 'INSUFFICIENT_PERMISSIONS'));
    expect(await ask(path, stranger, as.stranger)).toMatchObject(errorResponse(403, 'EXECUTOR_NOT_ELIGIBLE'));
    expect(await ask(path, member, { key: as.member.key })).toMatchObject(
      errorResponse(403, 'INSUFFICIENT_PERMISSIONS'),
    );
  }
  expect(await countByStatus(id)).toEqual({});
  expect(await ask('execute', member, as.member)).toMatchObject({ status: 200, body: { executed_by: member.address } });
});
