import { expect, test } from '@jest/globals';
import { witnessSetOf } from '../../src/cardano/keys/witnesses.ts';
import { cosignerAgreement } from '../../src/rotation/rules.ts';
import { expectBooks } from '../books/expect-books.ts';
import { signingWallet } from '../http/signing-wallet.ts';
import { scansOfStack } from '../store/scans-of-stack.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { killWorkerAt } from '../vault-lifecycle/kill-worker.ts';
import {
  fundWallet,
  holdings,
  type Person,
  person,
  submitWitnesses,
  type UnsignedTransaction,
  waitForTransaction,
} from '../vault-lifecycle/participants.ts';
import { leave, type OwnerScript } from '../vault-lifecycle/leave.ts';
import { expectUndoneAtEachDepth } from '../vault-lifecycle/undone-at-each-depth.ts';
import { advance } from '../vault-lifecycle/vault-requests.ts';
import { listUnsolicited, scanUnsolicited, sendUnsolicited, waitUntilDeep } from '../vaults/unsolicited-scan.ts';
import { assetOf, coinAt, rollBackOnce } from './ending-vault.ts';
import { execute, executeBody, freezeAndSign, waitForProposal } from './execution-requests.ts';
import { recordTransaction } from './record-transaction.ts';
import { isFinished, newestRotation, rotatedCustody, rotateNow, signMove } from './rotation-requests.ts';
import { settledVault } from './settled-vault.ts';
import { voteBody } from './staked-vault.ts';
import { errorResponse } from '../stack/error-response.ts';

const ADA = 1_000_000;
const HOUR = 3600;
const DAY = 24 * HOUR;

const stackOfFile = fileStack();

/** A person whose wallet signs messages, too. */
function newCosigner() {
  const wallet = signingWallet();
  const { payment, enterprise: address, keyHash } = wallet;
  const sign = (hash: string) => payment.sign(Buffer.from(hash, 'hex')).to_hex();
  const key = { keyHash, publicKey: payment.to_public().to_hex(), sign };
  const agree = (text: string) => wallet.signData(address, text);
  return { address, keyHash, agree, sign: (unsigned: string) => witnessSetOf(unsigned, [key]) };
}

async function stakeTokens(stack: TestStack, vaultId: string, owner: Person, amount: number): Promise<string> {
  type Staked = { data: { id: string; transaction: UnsignedTransaction } };
  const body = { walletAddress: owner.address, amount };
  const { data } = (await stack.api.post<Staked>(`/vaults/${vaultId}/stakes`, body)).body;
  await submitWitnesses(stack, owner, data.transaction);
  await waitForTransaction(stack, data.transaction.hash, ['final']);
  return data.id;
}

const keyOf = async ({ sql }: TestStack, table: 'stakes' | 'vaults', id: string) =>
  (await sql.query<{ key: string }>(`select vault_key_hash as key from ${table} where id = $1`, [id])).rows[0]?.key;

/** What was signed for the newest rotation, as Postgres keeps it. */
async function agreementsOf({ sql }: TestStack, vaultId: string): Promise<object[]> {
  const newest = 'select agreements from rotations where vault_id = $1 order by announced_at desc limit 1';
  return (await sql.query<{ agreements: object[] }>(newest, [vaultId])).rows[0]?.agreements ?? [];
}

test('a vault changes its key and a cosigner while it is governed: a frozen execution is voided and executed again, an old stake comes back, nothing is left behind', async () => {
  const stack = stackOfFile();
  const { api } = stack;
  const [contributor, investor, buyer] = [person(601), person(602), person(603)];
  const [staying, joining] = [newCosigner(), newCosigner()];
  const governance_settings = {
    creation_threshold: 1,
    start_threshold: 5,
    vote_threshold: 30,
    execution_threshold: 51,
    cosigning_threshold: 10,
    cosigners: [contributor.address, staying.address],
    required_cosigners: 1,
  };
  const vault = await settledVault(stack, { contributor, investor }, { nft: 'Gate', vault: { governance_settings } });
  const { id: vaultId, contractAddress: before } = vault;
  await fundWallet(stack, buyer, { ada: 400 });
  const stakes = [
    await stakeTokens(stack, vaultId, contributor, 200_000),
    await stakeTokens(stack, vaultId, investor, 100_000),
  ] as const;

  const change = { vaultId, contractAddress: before, rotations: 0 };
  const cosigners = { required: 2, keyHashes: [staying.keyHash, joining.keyHash] };
  const agreement = cosignerAgreement({ ...change, cosigners });
  const rotation = (ofStaying: object, ofJoining: object) => ({
    reason: 'A cosigner leaves',
    cosigners: [
      { address: staying.address, ...ofStaying },
      { address: joining.address, ...ofJoining },
    ],
    requiredCosigners: 2,
  });
  expect(await api.post(`/vaults/${vaultId}/rotations`, rotation({}, {}))).toMatchObject(
    errorResponse(400, 'INVALID_SIGNATURE'),
  );
  // Nobody can put a vault before its cosigners that they then have to move.
  expect(await api.post(`/vaults/${vaultId}/rotations`, rotation({}, joining.agree(agreement)))).toMatchObject(
    errorResponse(400, 'INVALID_REQUEST'),
  );
  const old = rotation(staying.agree(agreement), joining.agree(agreement));
  const announced = await api.post<{ data: { id: string } }>(`/vaults/${vaultId}/rotations`, old);
  expect(announced).toMatchObject({ status: 201, body: { data: { status: 'announced', requiredCosigners: 2 } } });
  expect(await api.post(`/vaults/${vaultId}/rotations`, old)).toMatchObject(errorResponse(400, 'ROTATION_UNDER_WAY'));
  // What was signed for a rotation that was cancelled holds for no other one.
  expect(await api.del(`/vaults/${vaultId}/rotations/${announced.body.data.id}`)).toMatchObject({ status: 204 });
  expect(await api.post(`/vaults/${vaultId}/rotations`, old)).toMatchObject(errorResponse(400, 'INVALID_SIGNATURE'));
  const anew = cosignerAgreement({ ...change, rotations: 1, cosigners });
  const signed = rotation(staying.agree(anew), joining.agree(anew));
  expect(await api.post(`/vaults/${vaultId}/rotations`, signed)).toMatchObject({ status: 201 });
  expect(await agreementsOf(stack, vaultId)).toMatchObject([
    { address: staying.address, ...staying.agree(anew) },
    { address: joining.address, ...joining.agree(anew) },
  ]);

  const { policyId } = await assetOf(stack, vaultId);
  const gate = { policy_id: policyId, asset_name: 'Gate' };
  const terms = { price: 200 * ADA, buyer_address: buyer.address };
  const proposed = await api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
    proposer: contributor.address,
    proposal_details: { title: 'Sell', description: '', action_type: 'sell_asset', affected_assets: [gate], terms },
    phases: { voting_duration: '24h', lock_duration: '24h', execution_duration: '48h' },
  });
  const proposalId = proposed.body.proposal_id;
  const vote = voteBody(contributor.address, 200_000, 'yes');
  expect(await api.post(`/proposals/${proposalId}/votes`, vote)).toMatchObject({ status: 200 });
  await advance(stack, 2 * DAY);
  const action = { type: 'sell_asset', details: { ...gate, price: 200 * ADA } };
  const frozen = executeBody(contributor, [contributor], action);
  await freezeAndSign(stack, proposalId, frozen, [contributor, buyer]);

  await advance(stack, DAY);
  const first = await signMove(stack, vaultId, contributor);
  expect(await execute(stack, proposalId, frozen)).toMatchObject(errorResponse(400, 'CUSTODY_ROTATING'));
  await killWorkerAt(stack, vaultId, 'move_custody', 'after acceptance');
  await rollBackOnce(stack, vaultId, 'move_custody');
  await signMove(stack, vaultId, staying, first);

  const { held } = await rotatedCustody(stack, vaultId, before);
  expect(held.get(policyId + Buffer.from('Gate').toString('hex'))).toBe(1n);
  expect((await newestRotation(stack, vaultId)).steps.map(({ status }) => status)).toEqual(['done', 'done', 'done']);

  const both = [staying, joining];
  const again = executeBody(contributor, both, action);
  await freezeAndSign(stack, proposalId, again, [...both, buyer]);
  expect(await execute(stack, proposalId, again)).toMatchObject({ status: 200, body: { status: 'executed' } });
  await waitForProposal(stack, proposalId, { status: 'EXECUTED' });
  expect((await holdings(stack, buyer.address)).get(policyId + Buffer.from('Gate').toString('hex'))).toBe(1n);

  const late = await stakeTokens(stack, vaultId, investor, 1_000);
  expect(await keyOf(stack, 'stakes', late)).toBe(await keyOf(stack, 'vaults', vaultId));
  expect(await keyOf(stack, 'stakes', stakes[1])).not.toBe(await keyOf(stack, 'vaults', vaultId));
  for (const [owner, id] of [[investor, stakes[1]] as const, [investor, late] as const]) {
    const { body } = await api.del<{ data: { transaction: UnsignedTransaction } }>(`/stakes/${id}`);
    const hash = await submitWitnesses(stack, owner, body.data.transaction);
    await waitForTransaction(stack, hash, ['final']);
  }
  await expectBooks(stack, vaultId);
  const moves = await stack.sql.run<{ kind: string; hash: string }>`select kind, hash from chain_transactions
      where vault_id = ${vaultId} and kind like 'move%' and state = 'final'`;
  expect(new Set(moves.map(({ kind }) => kind))).toEqual(new Set(['move_custody', 'move_kept']));
  await expectUndoneAtEachDepth(
    stack,
    moves.map(({ hash }) => hash),
  );
});

test('a compromised key is replaced at once, without cosigners; what a stranger sent to the old custody can be returned from there, and what comes late moves, too', async () => {
  const stack = stackOfFile();
  const { api } = stack;
  const [contributor, investor] = [person(611), person(612)];
  const vault = await settledVault(stack, { contributor, investor }, { nft: 'Barn' });
  const rotations = `/vaults/${vault.id}/rotations`;
  const stranger = newCosigner();
  const cosigners = [{ address: stranger.address, ...stranger.agree('Cosign') }];
  const joins = (more: object) => api.post(rotations, { reason: 'Mine', cosigners, ...more });
  expect(await joins({})).toMatchObject(errorResponse(400, 'VAULT_WITHOUT_COSIGNERS'));
  expect(await joins({ compromised: true })).toMatchObject(errorResponse(400, 'INVALID_REQUEST'));
  const announced = await api.post<{ data: { id: string } }>(rotations, { reason: 'Yearly' });
  expect(announced).toMatchObject({ status: 201, body: { data: { status: 'announced' } } });
  expect(await api.del(`${rotations}/${announced.body.data.id}`)).toMatchObject({ status: 204 });
  expect(await api.del(`${rotations}/${announced.body.data.id}`)).toMatchObject(
    errorResponse(400, 'ROTATION_NOT_CANCELLABLE'),
  );

  await rotateNow(stack, vault.id);
  await rotatedCustody(stack, vault.id, vault.contractAddress);

  const txHash = await sendUnsolicited(stack, vault.contractAddress);
  await scanUnsolicited(stack);
  const [stray] = await listUnsolicited(stack, vault.id);
  expect(stray).toMatchObject({ place: 'custody', returnable: true });
  const returned = await api.post<{ data: { transaction: { hash: string } } }>(
    `/vaults/${vault.id}/unsolicited/returns`,
    {
      outputs: [{ txHash, index: stray?.index }],
      address: investor.address,
    },
  );
  expect(returned).toMatchObject({ status: 201 });
  await waitForTransaction(stack, returned.body.data.transaction.hash, ['final']);
  await expectBooks(stack, vault.id);

  // A transaction of another vault that names the old custody brings a gift, and opens nothing again.
  const other = (await stack.sql.run<{ id: string }>`select id from vaults where id <> ${vault.id}`)[0];
  const { txHash: dust } = await stack.ledger.faucet({ address: vault.contractAddress, lovelace: '2000000' });
  await recordTransaction(stack, other?.id ?? '', dust, 'execute');
  await waitUntilDeep(stack, dust);
  await scanUnsolicited(stack);
  expect(await isFinished(stack, vault.id)).toBe(true);
  const gift = (await listUnsolicited(stack, vault.id)).find((output) => output.txHash === dust);
  expect(gift).toMatchObject({ place: 'custody', status: 'PRESENT', returnable: true });
  await expectBooks(stack, vault.id);

  // What the platform itself sent there comes late, as it can after a rollback.
  const { txHash: late } = await stack.ledger.faucet({ address: vault.contractAddress, lovelace: '9000000' });
  await recordTransaction(stack, vault.id, late, 'execute');
  await waitUntilDeep(stack, late);
  await scanUnsolicited(stack);
  const isMoved = async () =>
    (await coinAt(stack, vault.contractAddress)) === 2_000_000n && (await isFinished(stack, vault.id));
  await until(isMoved, { what: 'what came late to move', deadlineMs: 60_000 });
  // Of the rotation above, too: with cosigners, a frozen execution and a rollback.
  expect(await scansOfStack(stack)).toEqual([]);
});

test('a stake that its owner reclaimed alone after a year is released in the vault with the hash of the reclaiming transaction', async () => {
  const stack = stackOfFile();
  const [owner, investor] = [person(45), person(46)];
  const vault = await settledVault(stack, { contributor: owner, investor }, { nft: 'Cottage' });
  const { api } = stack;
  const tokenBalance = async () =>
    (await holdings(stack, owner.address)).get(vault.fractionalization.tokenAddress) ?? 0n;
  const before = await tokenBalance();
  const id = await stakeTokens(stack, vault.id, owner, 1000.5);
  type Stake = { data: { ownerScript: OwnerScript; transactions: { stakeHash: string } } };
  const read = async () => (await api.get<Stake>(`/stakes/${id}`)).body.data;
  await advance(stack, 366 * DAY);
  await scanUnsolicited(stack);
  expect(await read()).toMatchObject({ status: 'ACTIVE', releaseReason: null });
  const { ownerScript, transactions } = await read();

  const hash = await leave(stack, ownerScript, owner);
  await waitUntilDeep(stack, hash);
  await scanUnsolicited(stack);
  await scanUnsolicited(stack);

  expect(await read()).toMatchObject({
    status: 'RELEASED',
    releaseReason: 'reclaimed',
    votingPower: 0,
    transactions: { ...transactions, unstakeHash: hash },
    allowedActions: [{ allowed: false, reason: 'STAKE_ALREADY_RELEASED' }],
  });
  expect(await tokenBalance()).toBe(before);
  expect(await api.get(`/wallets/${owner.address}/voting-power`)).toMatchObject({ body: { data: { powers: [] } } });
  const rows = await stack.sql.run`select transaction_hash as hash from outbox
      where vault_id = ${vault.id} and type = 'STAKE_RECLAIMED'`;
  expect(rows).toEqual([{ hash }]);
  const { movements } = await expectBooks(stack, vault.id);
  const stakeMovements = movements.filter(({ place }) => place === 'stake');
  expect(stakeMovements).toMatchObject([
    { direction: 'in', transactionHash: transactions.stakeHash },
    { direction: 'out', transactionHash: hash },
  ]);
});
