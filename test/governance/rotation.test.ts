import { expect, test } from '@jest/globals';
import { witnessSetOf } from '../../src/chain/keys/witness-set.ts';
import { cosignerAgreement } from '../../src/domain/rotation/cosigner-agreement.ts';
import { expectBooks } from '../books/expect-books.ts';
import { signingWallet } from '../http/signing-wallet.ts';
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
import { advance, readVault } from '../vault-lifecycle/vault-requests.ts';
import { listUnsolicited, scanUnsolicited, sendUnsolicited, waitUntilDeep } from '../vaults/unsolicited-scan.ts';
import { assetOf, coinAt, rollBackOnce } from './ending-vault.ts';
import { execute, executeBody, freezeAndSign, waitForProposal } from './execution-requests.ts';
import { recordTransaction } from './record-transaction.ts';
import { settledVault } from './settled-vault.ts';
import { errorResponse, voteBody } from './staked-vault.ts';

const ADA = 1_000_000;
const HOUR = 3600;
const DAY = 24 * HOUR;

const stackOfFile = fileStack();

interface RotationRead {
  readonly id: string;
  readonly status: string;
  readonly contractAddress: string;
  readonly steps: readonly { readonly status: string; readonly transactionHash: string | null }[];
}

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

async function newestRotation({ api }: TestStack, vaultId: string): Promise<RotationRead> {
  const { body } = await api.get<{ data: { rotations: RotationRead[] } }>(`/vaults/${vaultId}/rotations`);
  const [newest] = body.data.rotations;
  if (!newest) throw new Error('there is no rotation');
  return newest;
}

/** Waits for a transaction that waits for cosigners, and signs it. */
async function signMove(stack: TestStack, vaultId: string, cosigner: Person, except: string | null = null) {
  const hash = await until(
    async () => {
      const { steps } = await newestRotation(stack, vaultId);
      const moving = steps.at(-1);
      return moving?.status === 'waiting_for_cosigners' && moving.transactionHash !== except && moving.transactionHash;
    },
    { what: 'a move to wait for cosigners', deadlineMs: 60_000 },
  );
  const { body } = await stack.api.get<{ data: { unsignedTx: string } }>(`/transactions/${hash}`);
  const witness = { witnessSet: cosigner.sign(body.data.unsignedTx) };
  expect(await stack.api.post(`/transactions/${hash}/witnesses`, witness)).toMatchObject({ status: 200 });
  return hash;
}

const isFinished = async (stack: TestStack, vaultId: string) =>
  (await newestRotation(stack, vaultId)).status === 'finished';

const keyOf = async ({ sql }: TestStack, table: 'stakes' | 'vaults', id: string) =>
  (await sql.query<{ key: string }>(`select vault_key_hash as key from ${table} where id = $1`, [id])).rows[0]?.key;

test('a vault changes its key and a cosigner while it is governed: a frozen execution is voided and executed anew, an old stake comes back, nothing is left behind', async () => {
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

  const agreement = cosignerAgreement(vaultId, { required: 2, keyHashes: [staying.keyHash, joining.keyHash] });
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
  const signed = rotation(staying.agree(agreement), joining.agree(agreement));
  expect(await api.post(`/vaults/${vaultId}/rotations`, signed)).toMatchObject({
    status: 201,
    body: { data: { status: 'announced', requiredCosigners: 2 } },
  });
  expect(await api.post(`/vaults/${vaultId}/rotations`, signed)).toMatchObject(
    errorResponse(400, 'ROTATION_UNDER_WAY'),
  );

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
  await until(() => isFinished(stack, vaultId), { what: 'the rotation', deadlineMs: 60_000 });

  const { contractAddress: after } = await readVault(stack, vaultId);
  expect(after).toBe((await newestRotation(stack, vaultId)).contractAddress);
  expect(await holdings(stack, before)).toEqual(new Map());
  expect((await holdings(stack, after)).get(policyId + Buffer.from('Gate').toString('hex'))).toBe(1n);
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
}, 400_000);

test('a compromised key is replaced at once, without cosigners; what a stranger sent to the old custody can be returned from there, and what comes late moves, too', async () => {
  const stack = stackOfFile();
  const { api } = stack;
  const [contributor, investor] = [person(611), person(612)];
  const vault = await settledVault(stack, { contributor, investor }, { nft: 'Barn' });
  const rotations = `/vaults/${vault.id}/rotations`;
  const stranger = newCosigner();
  const agreement = cosignerAgreement(vault.id, { required: 1, keyHashes: [stranger.keyHash] });
  const cosigners = [{ address: stranger.address, ...stranger.agree(agreement) }];
  const joins = (more: object) => api.post(rotations, { reason: 'Mine', cosigners, ...more });
  expect(await joins({})).toMatchObject(errorResponse(400, 'VAULT_WITHOUT_COSIGNERS'));
  expect(await joins({ compromised: true })).toMatchObject(errorResponse(400, 'INVALID_REQUEST'));
  const announced = await api.post<{ data: { id: string } }>(rotations, { reason: 'Yearly' });
  expect(announced).toMatchObject({ status: 201, body: { data: { status: 'announced' } } });
  expect(await api.del(`${rotations}/${announced.body.data.id}`)).toMatchObject({ status: 204 });
  expect(await api.del(`${rotations}/${announced.body.data.id}`)).toMatchObject(
    errorResponse(400, 'ROTATION_NOT_CANCELLABLE'),
  );

  expect(await api.post(rotations, { reason: 'A lost backup', compromised: true })).toMatchObject({ status: 201 });
  await until(() => isFinished(stack, vault.id), { what: 'the rotation', deadlineMs: 60_000 });
  const after = (await readVault(stack, vault.id)).contractAddress;
  expect(after).not.toBe(vault.contractAddress);
  expect(await holdings(stack, vault.contractAddress)).toEqual(new Map());

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
  const other = (await stack.sql.query<{ id: string }>('select id from vaults where id <> $1', [vault.id])).rows[0];
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
}, 400_000);
