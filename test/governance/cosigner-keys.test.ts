import { Address } from '@emurgo/cardano-serialization-lib-nodejs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readTransactionBody } from '../../src/cardano/cbor/transaction-body.ts';
import { createProposalActivities } from '../../activities/proposals.ts';
import { wallClock, instant } from '../../src/platform/units/time.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { createUnitOfWork, offsetClock } from '../../src/platform/database/unit-of-work.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import { vaultBody } from '../vaults/create-vault-body.ts';
import { errorResponse } from '../stack/error-response.ts';
import { person } from '../vault-lifecycle/participants.ts';
import { execute, executeBody } from './execution-requests.ts';
import { seedStakes } from './seed-stakes.ts';
import { lockedVault, proposalBody, propose, voteBody } from './staked-vault.ts';
import { createPassedProposal, vaultWithCustody } from './vault-with-custody.ts';

type Wallet = ReturnType<typeof newWallet>;

interface FrozenResponse {
  readonly data: {
    readonly transaction: { readonly hash: string; readonly unsignedTx: string };
    readonly multiSignature: { readonly keys: readonly { readonly keyHash: string }[] };
  };
}

let service: ApiService;

beforeAll(async () => {
  service = await apiService();
});

afterAll(() => service[Symbol.asyncDispose]());

/** Another address of the wallet: the same payment key with a stake key. */
const addressWithStakeKey = ({ keyHash }: Wallet, stakeKeyHash: string) =>
  Address.from_hex(`00${keyHash}${stakeKeyHash}`).to_bech32();

test('several staked addresses of one payment key count as one cosigner, because the key signs once', async () => {
  const { api } = service;
  const [one, two] = [newWallet(), newWallet()];
  const addresses = [one.address, addressWithStakeKey(one, two.keyHash), two.address];
  const { vaultId } = await lockedVault(service, [200_000, 200_000, 200_000], (number) => addresses[number] ?? '');
  const proposing = (required: number) =>
    api.post<{ error: object }>(`/vaults/${vaultId}/proposals`, {
      ...proposalBody(one.address),
      governance_thresholds: { required_cosigners: required },
    });
  expect(await proposing(3)).toMatchObject(errorResponse(400, 'INVALID_REQUEST'));
  expect(await proposing(2)).toMatchObject({ status: 201 });
});

/** A vault in which three wallets may cosign, and a passed proposal that requires two of them. */
async function proposalOfThree() {
  const vault = await vaultWithCustody(service);
  const third = newWallet();
  const stake = { wallet: third.address, tokens: 150_000 };
  await seedStakes(service.sql, vault.vaultId, [stake], new Date(Date.now() - 60_000));
  const id = await createPassedProposal(service, vault, { action_type: 'liquidate' });
  return { vault, id, signers: [vault.big, vault.middle, third] as const };
}

const liquidation = { type: 'liquidate', details: {} };

const bodyFor = (signers: readonly Wallet[], more: object = {}) => ({
  ...executeBody(signers[0]!, signers, liquidation),
  ...more,
});

const freeze = (id: string, body: object) => service.api.post<FrozenResponse>(`/proposals/${id}/executions`, body);

const sign = (signer: Wallet, { hash, unsignedTx }: FrozenResponse['data']['transaction']) =>
  service.api.post(`/transactions/${hash}/witnesses`, { witnessSet: signer.sign(unsignedTx) });

const lacking = (details: object) => ({
  status: 403,
  body: { error: { code: 'INSUFFICIENT_SIGNATURES', message: 'Insufficient signatures', details } },
});

test('two of three named cosigners suffice; a key signs once, and strangers and those who unstaked do not count', async () => {
  const { vault, id, signers } = await proposalOfThree();
  const [big, middle, third] = signers;
  const body = bodyFor(signers);
  const frozen = await freeze(id, body);
  const { transaction, multiSignature } = frozen.body.data;
  const cosigner = ({ address, keyHash }: Wallet) => {
    return { keyHash, wallet: address, isPlatform: false, isRequired: false, hasSigned: false };
  };
  expect(frozen).toMatchObject({
    status: 201,
    body: { data: { requiredCosigners: 2, multiSignature: { threshold: 2, required: 2, present: 0, missing: 2 } } },
  });
  const operator = await platformOf(service);
  const ofPlatform = (keyHash: string) => {
    return { keyHash, wallet: null, isPlatform: true, isRequired: true, hasSigned: false };
  };
  const keys = [...signers.map(cosigner), ofPlatform(vault.vaultKeyHash), ofPlatform(operator.keyHash)];
  expect(multiSignature.keys).toHaveLength(keys.length);
  expect(multiSignature.keys).toEqual(expect.arrayContaining(keys));
  // The ledger demands every key that a body names, so it names none of those of whom some suffice.
  expect(readTransactionBody(transaction.unsignedTx)).toEqual({
    hash: transaction.hash,
    requiredSigners: [vault.vaultKeyHash],
  });

  for (let times = 0; times < 2; times += 1) expect(await sign(big, transaction)).toMatchObject({ status: 200 });
  expect(await sign(newWallet(), transaction)).toMatchObject(errorResponse(400, 'WITNESS_NOT_REQUIRED'));
  const others = [middle.address, third.address];
  expect(await execute(service, id, body)).toMatchObject(
    lacking({ required: 2, present: 1, missing: 1, missingSigners: others }),
  );

  expect(await sign(third, transaction)).toMatchObject({ status: 200 });
  const read = await service.api.get<{ data: { execution: FrozenResponse['data'] } }>(`/proposals/${id}`);
  const ofTransaction = await service.api.get<FrozenResponse>(`/transactions/${transaction.hash}`);
  const counted = { required: 2, present: 2, missing: 0, signers: [third.keyHash, big.keyHash] };
  expect(ofTransaction.body.data.multiSignature).toMatchObject(counted);
  expect(read.body.data.execution.multiSignature).toEqual(ofTransaction.body.data.multiSignature);

  const stakeOf = (wallet: Wallet, change: string) =>
    service.sql.query(`update stakes set ${change} where wallet = $1`, [wallet.address]);
  await stakeOf(third, "status = 'RELEASED', release_reason = 'unstaked'");
  expect(await execute(service, id, body)).toMatchObject(
    lacking({ required: 2, present: 1, missing: 1, missingSigners: [middle.address] }),
  );
  await stakeOf(middle, "status = 'RELEASED', release_reason = 'unstaked'");
  expect(await execute(service, id, body)).toMatchObject(
    errorResponse(403, 'COSIGNER_NOT_ELIGIBLE', { wallets: others }),
  );
  await stakeOf(middle, "status = 'ACTIVE', release_reason = null");
  expect(await sign(middle, transaction)).toMatchObject({ status: 200 });
  expect(await execute(service, id, body)).toMatchObject({ status: 200, body: { status: 'executed' } });
});

test('whoever freezes may ask for more signatures than the proposal requires, but not for fewer', async () => {
  const { vault, id, signers } = await proposalOfThree();
  for (const required_cosigners of [1, 4])
    expect(await freeze(id, bodyFor(signers, { required_cosigners }))).toMatchObject(
      errorResponse(400, 'INVALID_REQUEST', { errors: [{ field: 'required_cosigners' }] }),
    );

  const all = await freeze(id, bodyFor(signers, { required_cosigners: 3 }));
  expect(all).toMatchObject({ status: 201, body: { data: { requiredCosigners: 3, multiSignature: { required: 3 } } } });
  const { transaction } = all.body.data;
  const named = readTransactionBody(transaction.unsignedTx)?.requiredSigners ?? [];
  expect(named.toSorted()).toEqual([vault.vaultKeyHash, ...signers.map(({ keyHash }) => keyHash)].toSorted());
  for (const signer of signers.slice(1)) await sign(signer, transaction);
  expect(await execute(service, id, bodyFor(signers))).toMatchObject(
    lacking({ required: 3, present: 2, missing: 1, missingSigners: [signers[0].address] }),
  );
  expect(await execute(service, id, bodyFor(signers, { required_cosigners: 2 }))).toMatchObject(
    errorResponse(400, 'FROZEN_FOR_ANOTHER_ACTION', { errors: [{ field: 'required_cosigners' }] }),
  );

  const some = await freeze(id, bodyFor(signers));
  expect(some).toMatchObject({ status: 201, body: { data: { requiredCosigners: 2, multiSignature: { present: 0 } } } });
  expect(some.body.data.transaction.hash).not.toBe(transaction.hash);
  const again = await freeze(id, bodyFor(signers, { required_cosigners: 2 }));
  expect(again.body.data.transaction).toEqual(some.body.data.transaction);
});

test('a cosigner who disagrees cannot void the signatures of the others again and again: each wallet has one signing lease', async () => {
  const { vault, id, signers } = await proposalOfThree();
  const [big, middle, third] = signers;
  const terms = (executor: Wallet, cosigners: readonly Wallet[]) => executeBody(executor, cosigners, liquidation);
  const frozen = await freeze(id, terms(big, signers));
  expect(frozen).toMatchObject({ status: 201 });
  expect(await sign(big, frozen.body.data.transaction)).toMatchObject({ status: 200 });

  const notReplaceable = errorResponse(400, 'EXECUTION_NOT_REPLACEABLE', { frozenBy: big.address });
  const sameKey = { ...third, address: addressWithStakeKey(third, middle.keyHash) };
  await seedStakes(
    service.sql,
    vault.vaultId,
    [{ wallet: sameKey.address, tokens: 150_000 }],
    new Date(Date.now() - 60_000),
  );
  expect(await freeze(id, terms(third, [middle, third]))).toMatchObject(notReplaceable);
  expect(await freeze(id, terms(sameKey, [middle, third]))).toMatchObject(notReplaceable);
  // The same request from another wallet changes nothing, and whoever froze it may freeze again.
  const { hash } = frozen.body.data.transaction;
  expect(await freeze(id, terms(third, signers))).toMatchObject({
    status: 201,
    body: { data: { transaction: { hash } } },
  });
  expect(await freeze(id, terms(big, [big, middle]))).toMatchObject({ status: 201 });

  const endLease = ({ keyHash }: Wallet) =>
    service.sql.query(
      `update executions set created_at = created_at - interval '4 hours' where proposal_id = $1 and frozen_by = any($2)`,
      [id, [big, middle, third, sameKey].filter((wallet) => wallet.keyHash === keyHash).map(({ address }) => address)],
    );
  await endLease(big);
  expect(await freeze(id, terms(third, [middle, third]))).toMatchObject({ status: 201 });
  expect(await freeze(id, terms(big, signers))).toMatchObject({ status: 400 });
  await endLease(third);
  // Another address of the key has no lease of its own, and a lease that has ended does not begin again.
  for (const [executor, cosigners] of [
    [sameKey, [big, third]],
    [big, signers],
    [third, [middle, third]],
    [middle, signers],
  ] as const)
    expect(await freeze(id, terms(executor, cosigners))).toMatchObject({ status: 201 });
  expect(await freeze(id, terms(third, [middle, third]))).toMatchObject(
    errorResponse(400, 'EXECUTION_NOT_REPLACEABLE', { frozenBy: middle.address }),
  );
});

async function platformOf({ sql }: ApiService): Promise<{ address: string; keyHash: string }> {
  const rows = await sql.run<{ address: string; keyHash: string }>`select operator_address as address,
      operator_key_hash as "keyHash" from platform`;
  if (!rows[0]) throw new Error('the platform is not known');
  return rows[0];
}

test('the platform cosigns nothing, because it signs everything: not as a registered key, and not with a stake', async () => {
  const { address } = await platformOf(service);
  const body = vaultBody(newWallet().address);
  const governance_settings = { ...body.governance_settings, cosigners: [address, newWallet().address] };
  expect(await service.api.post('/vaults', { ...body, governance_settings })).toMatchObject(
    errorResponse(400, 'INVALID_VAULT_PARAMS', { errors: [{ field: 'governance_settings.cosigners' }] }),
  );

  const { vault, id, signers } = await proposalOfThree();
  await seedStakes(service.sql, vault.vaultId, [{ wallet: address, tokens: 900_000 }], new Date(Date.now() - 60_000));
  const listed = await service.api.get<{ data: { cosigners: { wallet: string }[] } }>(`/proposals/${id}/cosigners`);
  expect(listed.body.data.cosigners.map(({ wallet }) => wallet)).toEqual(signers.map((signer) => signer.address));
  const named = { cosigners: [signers[0].address, signers[1].address, address] };
  expect(await freeze(id, bodyFor(signers, named))).toMatchObject(
    errorResponse(403, 'COSIGNER_NOT_ELIGIBLE', { wallets: [address] }),
  );
});

const HOUR = 3600;

interface ProposalResponse {
  readonly data: {
    readonly votingPhase: { readonly endTime: string };
    readonly executionPhase: { readonly requiredCosigners: number };
  };
}

const read = async (id: string) => (await service.api.get<ProposalResponse>(`/proposals/${id}`)).body.data;
const endOfVoting = async (id: string) => new Date((await read(id)).votingPhase.endTime);
const requiredCosigners = async (id: string) => (await read(id)).executionPhase.requiredCosigners;

/** The vault asks for `k` cosigners. */
async function askFor(k: number | undefined, vaultId: string): Promise<void> {
  const governance = JSON.stringify({ requiredCosigners: k });
  const settings = `update vaults set metadata = metadata || jsonb_build_object('governance', $2::jsonb) where id = $1`;
  await service.sql.query(settings, [vaultId, governance]);
}

/** The id of the vote. */
async function voteYes(id: string, wallet: string, tokens: number): Promise<string> {
  const vote = await service.api.post<{ vote_id: string }>(`/proposals/${id}/votes`, voteBody(wallet, tokens, 'yes'));
  expect(vote).toMatchObject({ status: 200 });
  return vote.body.vote_id;
}

/** A proposal that two wallets pass, although neither has the tenth of the supply that cosigning takes. */
async function proposalWithoutCosigners(k: number | undefined) {
  const { vaultId, voters, proposer } = await lockedVault(service, [60_000, 60_000]);
  await askFor(k, vaultId);
  const id = await propose(service, vaultId, proposer);
  for (const wallet of voters) await voteYes(id, wallet, 60_000);
  expect(await requiredCosigners(id)).toBe(0);
  return { vaultId, id, endsAt: await endOfVoting(id) };
}

/** Wallets whose stakes were final before voting opened, but are seen on the ledger only now. */
async function seenLate(vaultId: string, tokens: readonly number[]): Promise<string[]> {
  const seeds = tokens.map((amount) => ({ wallet: newWallet().address, tokens: amount }));
  await seedStakes(service.sql, vaultId, seeds, new Date(Date.now() - HOUR * 1000));
  return seeds.map(({ wallet }) => wallet);
}

/** Counts the votes, long after the vote has ended. */
async function close(proposalId: string, endsAt: Date): Promise<void> {
  const ids = createIds({ clock: wallClock, random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)) });
  const unitOfWork = createUnitOfWork(service.db, offsetClock(wallClock), ids);
  await service.advance(80 * HOUR);
  const worker = createProposalActivities({ db: service.db, unitOfWork, onTransition: () => undefined });
  expect(await worker.closeVoting({ proposalId, now: instant(endsAt) })).toMatchObject({ stage: 'passed' });
}

test('an execution needs the cosigners that the vault asks for if they voted, however early it was proposed', async () => {
  const { vaultId, id, endsAt } = await proposalWithoutCosigners(2);
  const [voter = '', small = ''] = await seenLate(vaultId, [100_000, 99_999]);
  await voteYes(id, voter, 1);
  await voteYes(id, small, 99_999);
  await close(id, endsAt);
  expect(await requiredCosigners(id)).toBe(1);
});

test('whoever stakes during the vote, does not vote or revokes the vote cannot raise the number and then not sign', async () => {
  const { vaultId, id, endsAt } = await proposalWithoutCosigners(3);
  const [revoker = ''] = await seenLate(vaultId, [100_000, 100_000]);
  const voteId = await voteYes(id, revoker, 100_000);
  expect(await service.api.del(`/votes/${voteId}`)).toMatchObject({ status: 200 });
  const late = { wallet: newWallet().address, tokens: 200_000 };
  await seedStakes(service.sql, vaultId, [late], new Date(endsAt.getTime() - HOUR * 1000));
  await close(id, endsAt);
  expect(await requiredCosigners(id)).toBe(0);
});

test('a proposal that raises its own cosigning threshold still needs the cosigners that its vault counts', async () => {
  const { vaultId, proposer } = await lockedVault(service, [120_000]);
  await askFor(3, vaultId);
  const body = proposalBody(proposer);
  const thresholds = { ...body.governance_thresholds, cosigning_threshold: 12 };
  const path = `/vaults/${vaultId}/proposals`;
  const answer = await service.api.post<{ proposal_id: string }>(path, { ...body, governance_thresholds: thresholds });
  expect(answer).toMatchObject({ status: 201 });
  const { proposal_id: id } = answer.body;
  expect(await requiredCosigners(id)).toBe(1);
  await voteYes(id, proposer, 120_000);
  for (const wallet of await seenLate(vaultId, [110_000, 110_000])) await voteYes(id, wallet, 110_000);
  await close(id, await endOfVoting(id));
  expect(await requiredCosigners(id)).toBe(3);
});

test('a vault that asks for no cosigners gets none after the vote, and one without eligible stakers needs none', async () => {
  const unasked = await proposalWithoutCosigners(undefined);
  for (const wallet of await seenLate(unasked.vaultId, [100_000])) await voteYes(unasked.id, wallet, 100_000);
  await close(unasked.id, unasked.endsAt);
  expect(await requiredCosigners(unasked.id)).toBe(0);

  const empty = await proposalWithoutCosigners(2);
  await close(empty.id, empty.endsAt);
  expect(await requiredCosigners(empty.id)).toBe(0);
});

interface CosignersResponse {
  readonly data: {
    readonly required: number;
    readonly cosigners: readonly { readonly keyHash: string; readonly wallet: string | null; staked: number }[];
  };
  readonly metadata: { readonly pagination: { readonly total: number } };
}

test('a wallet that staked exactly the cosigning threshold may cosign, one with less may not; the largest stake is listed first', async () => {
  const { api, sql } = service;
  const { vaultId, voters } = await lockedVault(service, [150_000, 300_000, 100_000, 99_999, 200_000], (n) => {
    return person(390 + n).address;
  });
  const [third, first, fourth, , notFinal] = voters;
  const body = proposalBody(third ?? '');
  const governance_thresholds = { ...body.governance_thresholds, cosigning_threshold: 10, required_cosigners: 2 };
  const { body: created } = await api.post<{ proposal_id: string }>(`/vaults/${vaultId}/proposals`, {
    ...body,
    governance_thresholds,
  });
  await sql.run`update stakes set final_at = null where wallet = ${notFinal}`;

  const path = `/proposals/${created.proposal_id}/cosigners`;
  const firstPage = await api.get<CosignersResponse>(path);
  expect(firstPage).toMatchObject({
    status: 200,
    body: { data: { required: 2 }, metadata: { pagination: { total: 3 } } },
  });
  expect(firstPage.body.data.cosigners.map(({ wallet, staked }) => [wallet, staked])).toEqual([
    [first, 300_000],
    [third, 150_000],
    [fourth, 100_000],
  ]);
  expect(await api.get(`${path}?limit=2&page=2`)).toMatchObject({
    body: { data: { cosigners: [{ wallet: fourth, stakedBaseUnits: '100000000000' }] } },
  });
  expect(await api.get(`${path}?page=9`)).toMatchObject({
    body: { data: { cosigners: [] }, metadata: { pagination: { total: 3 } } },
  });
  expect(await api.get('/proposals/01a1fe31-7168-78ba-9a54-09f02a924cc8/cosigners')).toMatchObject(
    errorResponse(404, 'PROPOSAL_NOT_FOUND'),
  );
});

test('registered cosigner keys are the only ones listed, whatever other wallets have staked', async () => {
  const guards = [newWallet(), newWallet()];
  const governance = { cosigners: guards.map(({ address }) => address), required_cosigners: 2 };
  const vault = await vaultWithCustody(service, governance);
  const id = await propose(service, vault.vaultId, vault.big.address);
  const { body } = await service.api.get<CosignersResponse>(`/proposals/${id}/cosigners`);
  expect(body).toMatchObject({ data: { required: 2 }, metadata: { pagination: { total: 2 } } });
  expect(body.data.cosigners).toEqual(
    guards.map(({ keyHash }) => ({ keyHash, wallet: null, staked: 0, stakedBaseUnits: '0' })),
  );
});
