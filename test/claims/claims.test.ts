import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { refText } from '../../src/transactions/rules.ts';
import { createIds } from '../../src/platform/units/ids.ts';
import { instant } from '../../src/platform/units/time.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { assetSale } from '../../src/executions/effects.ts';
import { handOverEffects } from '../../src/termination/on-ledger.ts';
import { type ChainTransaction, findTransactionByHash } from '../../src/transactions/queries/transactions.ts';
import type { Execution } from '../../src/executions/queries.ts';
import { findTermination } from '../../src/termination/queries/terminations.ts';
import { type ApiService, apiService, newWallet } from '../vaults/api-service.ts';
import type { Claim } from './attempt-claim.ts';
import { claimClient, refusal } from './claim-client.ts';
import { addPotOutput, changeState, countedPot, FLOAT, heldAt, land, send, vaultWithPot } from './vault-with-pot.ts';

let service: ApiService;
let client: ReturnType<typeof claimClient>;
beforeAll(async () => {
  service = await apiService();
  client = claimClient(service);
});
afterAll(() => service[Symbol.asyncDispose]());

const ADA = 1_000_000n;
const vaultOf = (...wanted: Parameters<typeof vaultWithPot> extends [unknown, ...infer Rest] ? Rest : never) =>
  vaultWithPot(service, ...wanted);

/** What the vault says about claims. */
async function claimAction(vaultId: string): Promise<unknown> {
  type VaultRead = { readonly data: { readonly allowedActions: readonly { readonly action: string }[] } };
  const { body } = await service.api.get<VaultRead>(`/vaults/${vaultId}`);
  return body.data.allowedActions.find(({ action }) => action === 'claim');
}

test('holders share the pot exactly, in parts too, and the last one gets the last lovelace', async () => {
  const [big, small, last] = [newWallet(), newWallet(), newWallet()];
  const holders = [
    { address: big.address, tokens: 600_000_000n },
    { address: small.address, tokens: 250_000_001n },
    { address: last.address, tokens: 7n },
  ];
  const pot = 100n * ADA + 1n;
  const { vaultId, ftUnit, potAddress } = await vaultOf(holders, { outputs: [60n * ADA, 40n * ADA + 1n] });

  expect(await claimAction(vaultId)).toMatchObject({ allowed: true, reason: null });
  const half = await client.paid(vaultId, big, { amount: 300 });
  expect(half).toMatchObject({
    amount: 300,
    amountBaseUnits: '300000000',
    payoutLovelace: ((pot * 300_000_000n) / 850_000_008n).toString(),
    status: 'PENDING',
    stakedBaseUnits: '0',
    transaction: { requiredSigners: [big.keyHash, expect.any(String)] },
  });
  expect(await client.read(vaultId, half)).toMatchObject({ status: 'PAID', transactionHash: half.transaction.hash });
  expect(await countedPot(service, vaultId)).toEqual({
    lovelace: pot - BigInt(half.payoutLovelace),
    circulating: 550_000_008n,
  });

  const claims = [
    half,
    await client.paid(vaultId, big),
    await client.paid(vaultId, small),
    await client.paid(vaultId, last),
  ];
  expect(claims.reduce((sum, { payoutLovelace }) => sum + BigInt(payoutLovelace), 0n)).toBe(pot);
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: 0n, circulating: 0n });
  const { lovelace, tokens } = await heldAt(service, potAddress, ftUnit);
  expect({ lovelace, tokens }).toEqual({ lovelace: 2n * FLOAT, tokens: 1_000_000_000_000n });
  const rows = await service.sql.run<{ fee: string }>`select fee from chain_transactions
      where kind = 'claim' and wallet = ${big.address}`;
  const fees = rows.reduce((sum, { fee }) => sum + BigInt(fee), 0n);
  const shares = BigInt(claims[0]?.payoutLovelace ?? 0) + BigInt(claims[1]?.payoutLovelace ?? 0);
  expect(await heldAt(service, big.address, ftUnit)).toMatchObject({ lovelace: 5n * ADA + shares - fees, tokens: 0n });
  expect(await client.ask(vaultId, last)).toMatchObject(refusal('CLAIMS_CLOSED'));
  expect(await claimAction(vaultId)).toMatchObject({ allowed: false, reason: 'CLAIMS_CLOSED' });

  const page = `/vaults/${vaultId}/claims`;
  expect(await service.api.get(`${page}?wallet=${big.address.toUpperCase()}&sort=payout:desc`)).toMatchObject({
    status: 200,
    body: { data: { claims: [{}, {}] }, metadata: { pagination: { total: 2 } } },
  });
  expect(await service.api.get(`${page}?status=paid`)).toMatchObject({
    body: { metadata: { pagination: { total: 4 } } },
  });
  const activity = await service.api.get<{ data: { activities: { type: string }[] } }>(
    `/vaults/${vaultId}/activity?types=all&limit=100`,
  );
  const types = activity.body.data.activities.map(({ type }) => type).filter((type) => type.startsWith('CLAIM'));
  expect(types.toSorted()).toEqual(claims.flatMap(() => ['CLAIM_CONFIRMED', 'CLAIM_STARTED']).toSorted());
});

test('a second claim for the same tokens replaces the first, which can no longer be signed', async () => {
  const wallet = newWallet();
  const { vaultId } = await vaultOf([{ address: wallet.address, tokens: 10n }], { outputs: [10n * ADA] });
  const first = await client.asked(vaultId, wallet);
  const second = await client.asked(vaultId, wallet, { amount: '0.000004' });
  expect(await client.read(vaultId, first)).toMatchObject({ status: 'EXPIRED' });
  const listed = (filter: string) => service.api.get(`/vaults/${vaultId}/claims?wallet=${wallet.address}${filter}`);
  expect(await listed('')).toMatchObject({ body: { data: { claims: [{ id: second.id }] } } });
  expect(await listed('&status=expired')).toMatchObject({ body: { data: { claims: [{ id: first.id }] } } });
  expect(await client.sign(first, wallet)).toMatchObject(refusal('TRANSACTION_EXPIRED'));
  expect(await client.sign(second, wallet)).toMatchObject({ status: 200 });
  expect(await client.ask(vaultId, wallet)).toMatchObject(
    refusal('ASSET_NOT_IN_WALLET', { wallet: wallet.address, stakedBaseUnits: '0' }),
  );
  await land(service, second.transaction.hash);
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: 6n * ADA, circulating: 6n });
});

test('unsigned claims hold nothing of the pot: whoever signs first is paid, and the others claim again', async () => {
  const wallets = Array.from({ length: 12 }, newWallet);
  const holders = wallets.map(({ address }) => ({ address, tokens: 10n }));
  const { vaultId } = await vaultOf(holders, { outputs: [120n * ADA] });
  const claims = await Promise.all(wallets.map((wallet) => client.asked(vaultId, wallet)));
  const [first, second] = wallets;
  if (!first || !second) throw new Error('there are wallets');

  expect(await client.sign(claims[0]!, first)).toMatchObject({ status: 200 });
  const taken = await client.sign(claims[1]!, second);
  expect(taken).toMatchObject(
    refusal('CLAIM_OUTPUT_TAKEN', { outputs: [expect.stringMatching(/^[0-9a-f]{64}#\d+$/)] }),
  );
  // What the first one leaves can be spent before a block has it.
  const again = await client.signed(vaultId, second);
  expect(again).toMatchObject({ payoutLovelace: '10000000' });
  await land(service, claims[0]!.transaction.hash);
  // The output is spent now, by a transaction that has been confirmed.
  expect(await client.sign(claims[2]!, wallets[2]!)).toMatchObject(refusal('CLAIM_OUTPUT_TAKEN'));
  await land(service, again.transaction.hash);
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: 100n * ADA, circulating: 100n });
});

test('a claim is paid what it was built with, although others have changed the pot before its signature', async () => {
  const [early, late] = [newWallet(), newWallet()];
  const holders = [early, late].map(({ address }) => ({ address, tokens: 3n }));
  const { vaultId, potAddress } = await vaultOf(holders, { outputs: [10n * ADA + 1n, 9n * ADA] });
  const spentBy = async ({ transaction: { hash } }: Claim) => {
    const { inputs } = (await findTransactionByHash(service.db, hash))!;
    return refText(inputs.find(({ address }) => address === potAddress)!);
  };
  const waiting = await client.asked(vaultId, late, { amount: '0.000002' });
  const elsewhere = async (): Promise<Claim> => {
    const claim = await client.asked(vaultId, early, { amount: '0.000001' });
    return (await spentBy(claim)) === (await spentBy(waiting)) ? elsewhere() : claim;
  };
  const other = await elsewhere();
  await client.sign(other, early);
  await land(service, other.transaction.hash);
  expect(await client.sign(waiting, late)).toMatchObject({ status: 200 });
  await land(service, waiting.transaction.hash);
  expect([other, waiting].map(({ payoutLovelace }) => payoutLovelace)).toEqual(['3166666', '6333333']);
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: 9_500_002n, circulating: 3n });
});

test('a claim that is rolled back waits again with its pot, and counts once when it is confirmed again or never', async () => {
  const wallet = newWallet();
  const { vaultId } = await vaultOf([{ address: wallet.address, tokens: 10n }], { outputs: [10n * ADA] });
  const before = { lovelace: 10n * ADA, circulating: 10n };
  const after = { lovelace: 6n * ADA, circulating: 6n };
  const claim = await client.paid(vaultId, wallet, { amount: '0.000004' });
  const { hash } = claim.transaction;
  expect(await countedPot(service, vaultId)).toEqual(after);
  await changeState(service, hash, { to: 'submitted', direction: 'rollback', block: null });
  expect(await client.read(vaultId, claim)).toMatchObject({ status: 'PENDING' });
  expect(await countedPot(service, vaultId)).toEqual(before);
  await changeState(service, hash, { to: 'confirmed', block: { height: 6, hash: 'another block' } });
  await changeState(service, hash, { to: 'final' });
  expect(await countedPot(service, vaultId)).toEqual(after);
  await changeState(service, hash, { to: 'submitted', direction: 'rollback', block: null });
  await changeState(service, hash, { to: 'failed', reason: 'a test' });
  expect(await client.read(vaultId, claim)).toMatchObject({ status: 'FAILED' });
  expect(await countedPot(service, vaultId)).toEqual(before);
  // It was given up, and is confirmed after all.
  await changeState(service, hash, { to: 'confirmed', block: { height: 7, hash: 'a third block' } });
  expect(await client.read(vaultId, claim)).toMatchObject({ status: 'PAID' });
  expect(await countedPot(service, vaultId)).toEqual(after);
  const rows = await service.sql.run<{ type: string }>`select type from outbox
      where vault_id = ${vaultId} and type like 'CLAIM%' order by occurred_at, id`;
  expect(rows.map(({ type }) => type.slice('CLAIM_'.length))).toEqual([
    ...['STARTED', 'CONFIRMED', 'ROLLED_BACK', 'CONFIRMED', 'ROLLED_BACK', 'EXPIRED', 'CONFIRMED'],
  ]);
});

test('claims wait until the price of a sale is in the pot, and cannot spend what strangers send to it or the NFT of the vault', async () => {
  const wallet = newWallet();
  const vault = await vaultOf([{ address: wallet.address, tokens: 10n }], { outputs: [] });
  const { vaultId, potAddress } = vault;
  await service.sql.run`update terminations set pot_lovelace = 10000000 where vault_id = ${vaultId}`;
  await service.ledger.faucet({ address: potAddress, lovelace: '50000000' });
  await addPotOutput(service, vault, 50n * ADA, [{ assetNameHex: 'ab'.repeat(4), quantity: '1' }]);
  await addPotOutput(service, vault, 50n * ADA, [], 'execute');
  await service.ledger.mine();
  const setState = (state: string) =>
    service.sql.query("update chain_transactions set state = $2 where vault_id = $1 and kind = 'execute'", [
      vaultId,
      state,
    ]);
  await setState('confirmed');
  expect(await client.ask(vaultId, wallet)).toMatchObject(refusal('CLAIMS_AWAIT_SALE'));
  await setState('final');
  const claim = await client.asked(vaultId, wallet);
  await setState('confirmed');
  expect(await client.sign(claim, wallet)).toMatchObject(refusal('CLAIMS_AWAIT_SALE'));
  await setState('final');
  await service.sql.run`update terminations set pot_lovelace = 40000000 where vault_id = ${vaultId}`;
  expect(await client.sign(claim, wallet)).toMatchObject(refusal('TRANSACTION_EXPIRED'));
  const anew = await client.asked(vaultId, wallet);
  expect(anew.payoutLovelace).toBe(`${40n * ADA}`);
  expect(await client.sign(anew, wallet)).toMatchObject({ status: 200 });
});

test('the price of a sale can be claimed for two weeks more, and leaves the pot when the sale is rolled back', async () => {
  const wallet = newWallet();
  const { vaultId, potAddress } = await vaultOf([{ address: wallet.address, tokens: 10n }], { outputs: [10n * ADA] });
  await service.sql.run`update terminations set claim_deadline = now() where vault_id = ${vaultId}`;
  const outputs = [{ index: 0, address: potAddress, lovelace: lovelace(5n * ADA), assets: new Map<string, bigint>() }];
  const execution = { vaultId, effect: { type: 'ASSET_SALE', assetIds: [] } } as unknown as Execution;
  const now = instant(Date.now());
  const run = (change: 'final' | 'undo', state: string) =>
    service.db.transaction().execute(async (tx) => {
      const ids = createIds({ clock: { now: () => now }, random: randomBytes });
      await assetSale[change]?.({ tx, ids, now }, execution, { state, outputs } as unknown as ChainTransaction);
    });
  await run('final', 'confirmed');
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: 15n * ADA, circulating: 10n });
  const days = 14 * 86_400;
  const extended = { claimDeadline: now + days * 1000, saleSeconds: days };
  expect(await findTermination(service.db, vaultId)).toMatchObject(extended);
  await run('undo', 'final');
  await run('undo', 'confirmed');
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: 10n * ADA, circulating: 10n });
  // What is final again has moved the deadline already.
  await run('final', 'confirmed');
  expect(await findTermination(service.db, vaultId)).toMatchObject(extended);
});

test('ADA that lay with assets is in the pot once their hand-over is final, and no longer when that is rolled back', async () => {
  const { vaultId, potAddress } = await vaultOf([{ address: newWallet().address, tokens: 10n }], { outputs: [ADA] });
  const rows = await service.sql.run<{ custody: string }>`select contract_address as custody from vaults
      where id = ${vaultId}`;
  const outputs = [newWallet().address, rows[0]?.custody ?? '', potAddress].map((address, index) => {
    return { index, address, lovelace: lovelace(BigInt(index + 1) * ADA), assets: new Map<string, bigint>() };
  });
  const run = (change: 'final' | 'rolledBack', state: string) =>
    service.db.transaction().execute(async (tx) => {
      const now = instant(Date.now());
      const ids = createIds({ clock: { now: () => now }, random: randomBytes });
      const transaction = { id: ids.next(), vaultId, hash: 'ab'.repeat(32), state, outputs };
      await handOverEffects[change]?.({ tx, ids, now }, transaction as unknown as ChainTransaction);
    });
  await run('final', 'confirmed');
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: 4n * ADA, circulating: 10n });
  await run('rolledBack', 'final');
  await run('rolledBack', 'confirmed');
  expect(await countedPot(service, vaultId)).toEqual({ lovelace: ADA, circulating: 10n });
});

test('many wallets at once are paid exactly, each as often as it has to claim again', async () => {
  const wallets = Array.from({ length: 24 }, newWallet);
  const holders = wallets.map(({ address }, index) => ({ address, tokens: BigInt(index * index + 1) }));
  const outputs = [3n, 50n, 7n, 20n].map((ada) => ada * ADA + 1n);
  const pot = outputs.reduce((sum, share) => sum + share, 0n);
  const { vaultId, ftUnit, potAddress } = await vaultOf(holders, { outputs });
  const payouts: bigint[] = [];
  let waiting = wallets;
  while (waiting.length > 0) {
    const attempts = await Promise.all(waiting.map((wallet) => client.attempt(vaultId, wallet)));
    const confirmation = attempts.flatMap(({ signed }) => signed ?? []);
    for (const { transaction } of confirmation) await send(service, transaction.hash);
    await service.ledger.mine();
    const change = { to: 'confirmed', block: { height: 5, hash: 'a block' } } as const;
    for (const { transaction } of confirmation) await changeState(service, transaction.hash, change);
    payouts.push(...confirmation.map(({ payoutLovelace }) => BigInt(payoutLovelace)));
    for (const { code } of attempts) expect([null, 'CLAIM_OUTPUT_TAKEN', 'POT_IN_USE']).toContain(code);
    waiting = waiting.filter((_, index) => attempts[index]?.signed === null);
  }
  // Wallets that ask at the same time leave what their shares are rounded down by.
  const { lovelace: left, circulating } = await countedPot(service, vaultId);
  expect(payouts.reduce((sum, payout) => sum + payout, left)).toBe(pot);
  expect([circulating, left < BigInt(wallets.length)]).toEqual([0n, true]);
  expect(await heldAt(service, potAddress, ftUnit)).toMatchObject({
    lovelace: FLOAT * BigInt(outputs.length) + left,
    tokens: 1_000_000_000_000n,
  });
});
