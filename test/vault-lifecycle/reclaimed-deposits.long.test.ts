import { expect, test } from '@jest/globals';
import { connectTemporal } from '../../src/platform/temporal/connection.ts';
import { vaultWorkflowId } from '../../src/platform/temporal/workflow-ids.ts';
import { expectBooks } from '../books/expect-books.ts';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { claimShare, readEnd } from '../governance/ending-vault.ts';
import { openedPot } from '../governance/opened-pot.ts';
import { rotatedCustody, rotateNow } from '../governance/rotation-requests.ts';
import { mineUntil } from './mine-until.ts';
import { contribute, fundWallet, holdings, invest, type Person, person, waitForTransaction } from './participants.ts';
import { passDeadline } from './pass-deadline.ts';
import { reclaimDeposit } from './reclaim-outputs.ts';
import { advance, waitForVaultStatus, createVault, readVault, type VaultOverrides } from './vault-requests.ts';

const DAY = 86_400;
const WEEK = 7 * DAY;

interface Entitlement {
  readonly depositId: string;
  readonly wallet: string;
  readonly ftBaseUnits: string;
  readonly lovelace: string;
  readonly lovelaceOwed: string;
  readonly reclaimed: boolean;
}

interface Settlement {
  readonly figures: { readonly lpLovelace: string; readonly lpFt: string; readonly invested: string };
  readonly revision: Readonly<Record<'invested' | 'lpLovelace' | 'contributorsLovelace', string>> | null;
  readonly entitlements: readonly Entitlement[];
}

const sum = (amounts: readonly (string | bigint)[]) =>
  amounts.reduce<bigint>((total, amount) => total + BigInt(amount), 0n);

/** Creates a vault of NFTs with this title and a number, whose tokens are minted and whose first delivery is in the mempool. Blocks are mined on request only. */
async function mintedVault(
  stack: TestStack,
  title: string,
  contributors: readonly Person[],
  investors: readonly Person[],
  overrides?: VaultOverrides,
) {
  const vaultId = await createVault(stack, contributors[0]?.address ?? '', overrides);
  await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'ACTIVE'));
  const policies: string[] = [];
  for (const [position, owner] of contributors.entries())
    policies.push(
      await mineUntil(stack, fundWallet(stack, owner, { ada: 100, assets: { [`${title}${position}`]: 1 } })),
    );
  for (const investor of investors) await mineUntil(stack, fundWallet(stack, investor, { ada: 400_000 }));
  const price = (asOf?: string) =>
    Promise.all(
      policies.map((policyId, position) =>
        stack.ledger.setPrice({
          policyId,
          lovelace: `${3_000_000_007 * (position + 1)}`,
          ...(asOf !== undefined && { asOf }),
        }),
      ),
    );
  await price(new Date((await stack.ledger.clock()).nowMs).toISOString());
  const sent: { hash: string; deposit: string }[] = [];
  for (const [position, owner] of contributors.entries()) {
    const policyId = policies[position] ?? '';
    const { hash, assetId } = await contribute(stack, vaultId, owner, { policyId, name: `${title}${position}` });
    sent.push({ hash, deposit: assetId });
  }
  for (const [position, investor] of investors.entries()) {
    const { hash, investmentId } = await invest(stack, vaultId, investor, 70_000_000_001 + 30_000_000_017 * position);
    sent.push({ hash, deposit: investmentId });
  }
  for (const { hash } of sent) await mineUntil(stack, waitForTransaction(stack, hash, ['final']));
  const held = new Map<string, Map<string, bigint>>();
  for (const { address } of [...contributors, ...investors]) held.set(address, await holdings(stack, address));

  // The prices are stale when the windows end, so the settlement waits until they are fresh.
  await advance(stack, WEEK + DAY);
  expect((await readVault(stack, vaultId)).holds).toMatchObject([{ reason: 'stale_price' }]);
  await price();
  await signalPricesChanged(stack, vaultId);
  const state = async (kind: string) =>
    (
      await stack.sql.run<{ state: string }>`select state from chain_transactions
        where vault_id = ${vaultId} and kind = ${kind}`
    )[0]?.state;
  await until(async () => (await state('mint')) === 'submitted', { what: 'the mint to be sent' });
  await stack.ledger.mine();
  await until(async () => (await state('deliver')) === 'submitted', {
    what: 'a delivery to be sent',
  });
  return { vaultId, policies, held, deposits: sent.map(({ deposit }) => deposit) };
}

async function signalPricesChanged(stack: TestStack, vaultId: string): Promise<void> {
  const client = connectTemporal({ ...stack.temporal, taskQueue: 'none' });
  await client.workflow.getHandle(vaultWorkflowId(vaultId)).signal('pricesChanged');
  await client.connection.close();
}

const amountOf = (held: ReadonlyMap<string, bigint> | undefined, unit: string) => held?.get(unit) ?? 0n;
const nftUnit = (policyId: string | undefined, name: string) => `${policyId}${Buffer.from(name).toString('hex')}`;

async function settlementOf(stack: TestStack, vaultId: string): Promise<Settlement> {
  const { body } = await stack.api.get<{ data: { settlement: Settlement } }>(`/vaults/${vaultId}`);
  const paid = await stack.api.get<{ data: Pick<Settlement, 'entitlements'> }>(
    `/vaults/${vaultId}/entitlements?limit=100`,
  );
  return { ...body.data.settlement, ...paid.body.data };
}

async function feesOf({ sql }: TestStack, vaultId: string, kind: string): Promise<bigint> {
  const rows = await sql.run<{ fees: string }>`select sum(fee) as fees from chain_transactions
      where vault_id = ${vaultId} and kind = ${kind} and state = 'final'`;
  return BigInt(rows[0]?.fees ?? 0);
}

/** Returns the lovelace of the delivery deposits that the batches have returned, by owner. */
async function depositsReturned({ sql }: TestStack, vaultId: string): Promise<Map<string, bigint>> {
  const rows = await sql.run<{ owner: string; returned: string }>`select d.payment->>'owner' as owner,
      sum((d.payment->>'depositReturned')::numeric)::text as returned
      from transaction_deposits d join chain_transactions t on t.id = d.transaction_id
      where t.vault_id = ${vaultId} and t.kind = 'deliver' and t.state in ('confirmed', 'final') group by 1`;
  return new Map(rows.map(({ owner, returned }) => [owner, BigInt(returned)]));
}

const stackOfFile = fileStack({ blockMs: 0 });

test('after a reclaim during delivery the FT of the owner stay in custody, the remaining ADA is divided exactly, and the others share both when the vault ends', async () => {
  const stack = stackOfFile();
  const [alice, bob, ina, ivo, ida] = [person(101), person(102), person(103), person(104), person(105)];
  const ending = { type: 'PROGRAMMED', duration: '05:00:00', remaining_assets_to: ina.address };
  const { vaultId, policies, held, deposits } = await mintedVault(stack, 'Work', [alice, bob], [ina, ivo, ida], {
    vault: { termination: ending },
  });
  const planned = await settlementOf(stack, vaultId);
  expect(planned.revision).toBeNull();

  await passDeadline(stack, vaultId);
  await stack.ledger.mine();
  const reclaims = [await reclaimDeposit(stack, vaultId, bob), await reclaimDeposit(stack, vaultId, ivo)];
  const vault = await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'LOCKED'));

  const settled = await settlementOf(stack, vaultId);
  const [, ofBob, , ofIvo] = deposits;
  expect(
    settled.entitlements
      .filter(({ reclaimed }) => reclaimed)
      .map(({ depositId }) => depositId)
      .sort(),
  ).toEqual([ofBob, ofIvo].sort());
  // Invested without Ivo: 70,000.000001 + 130,000.000035 ADA. The LP gets a tenth: 10 % of the FDV is a tenth of A at 50 %.
  expect(settled.revision).toMatchObject({ invested: '200000000036', lpLovelace: '20000000003' });
  const contributions = settled.entitlements.filter(({ depositId }) => deposits.slice(0, 2).includes(depositId));
  expect(sum(contributions.map(({ lovelaceOwed }) => lovelaceOwed)) + 20_000_000_003n).toBe(200_000_000_036n);
  for (const entitlement of settled.entitlements) {
    expect(BigInt(entitlement.lovelaceOwed)).toBeLessThanOrEqual(BigInt(entitlement.lovelace));
    expect(planned.entitlements).toContainEqual({
      ...entitlement,
      reclaimed: false,
      lovelaceOwed: entitlement.lovelace,
    });
  }

  const token = vault.fractionalization.tokenAddress;
  const returned = await depositsReturned(stack, vaultId);
  for (const { address } of [alice, ina, ida]) {
    const ownEntitlements = settled.entitlements.filter(({ wallet }) => wallet === address);
    const after = await holdings(stack, address);
    expect(after.get(token)).toBe(sum(ownEntitlements.map(({ ftBaseUnits }) => ftBaseUnits)));
    const gained = amountOf(after, 'lovelace') - amountOf(held.get(address), 'lovelace');
    expect(gained).toBe(sum(ownEntitlements.map(({ lovelaceOwed }) => lovelaceOwed)) + amountOf(returned, address));
  }
  expect((await holdings(stack, bob.address)).get(nftUnit(policies[1], 'Work1'))).toBe(1n);
  for (const { address } of [bob, ivo]) expect((await holdings(stack, address)).has(token)).toBe(false);

  const kept = settled.entitlements.filter(({ reclaimed }) => reclaimed);
  const outputs = await lastOutputs(stack, vaultId);
  expect(outputs[0]?.amount).toEqual([
    { unit: 'lovelace', quantity: settled.revision?.lpLovelace },
    { unit: token, quantity: settled.figures.lpFt },
  ]);
  expect(outputs[2]).toMatchObject({
    address: vault.contractAddress,
    amount: [
      { unit: 'lovelace', quantity: String(sum(kept.map(({ lovelaceOwed }) => lovelaceOwed))) },
      { unit: token, quantity: String(sum(kept.map(({ ftBaseUnits }) => ftBaseUnits))) },
    ],
  });
  expect((await holdings(stack, vault.contractAddress)).get(token)).toBe(sum(kept.map((each) => each.ftBaseUnits)));
  const everywhere = settled.entitlements.map(({ ftBaseUnits }) => ftBaseUnits);
  expect(sum([...everywhere, settled.figures.lpFt])).toBe(BigInt(vault.fractionalization.tokenSupplyBaseUnits));

  const { movements, remains } = await expectBooks(stack, vaultId);
  const taken = movements.filter(({ transactionHash }) => reclaims.some((hash) => hash === transactionHash));
  expect(taken.map(({ direction, place }) => [direction, place])).toEqual(Array(2).fill(['out', 'deposit']));
  expect(remains.map(({ reason }) => reason)).toContain('kept_share');

  const events = await stack.sql.run<{ type: string; hash: string | null }>`select type, transaction_hash as hash
      from outbox where vault_id = ${vaultId}
      and type in ('DEPOSIT_RECLAIMED', 'SETTLEMENT_REVISED') order by recorded`;
  expect(events.map(({ type }) => type)).toEqual(['DEPOSIT_RECLAIMED', 'DEPOSIT_RECLAIMED', 'SETTLEMENT_REVISED']);
  expect(events.flatMap(({ hash }) => hash ?? []).sort()).toEqual(reclaims.sort());
  const { body } = await stack.api.get<{ data: { investments: object[] } }>(`/vaults/${vaultId}/investments`);
  expect(body.data.investments).toContainEqual(
    expect.objectContaining({ investmentId: ofIvo, status: 'REFUNDED', releaseReason: 'reclaimed' }),
  );

  // The kept share moves to another key with the rest, and belongs to those who hold tokens when the vault ends.
  await rotateNow(stack, vaultId);
  const { held: rotated } = await mineUntil(stack, rotatedCustody(stack, vaultId, vault.contractAddress));
  expect(rotated.get(token)).toBe(sum(kept.map(({ ftBaseUnits }) => ftBaseUnits)));
  await advance(stack, 5 * DAY);
  const opened = await mineUntil(stack, openedPot(stack, vaultId));
  const ownFt = sum([...kept.map(({ ftBaseUnits }) => ftBaseUnits), settled.figures.lpFt]);
  expect(opened.circulating).toBe(opened.supply - ownFt);
  const ownLovelace = sum([...kept.map(({ lovelaceOwed }) => lovelaceOwed), settled.revision?.lpLovelace ?? 0n]);
  expect(opened.pot).toBe(ownLovelace - (await feesOf(stack, vaultId, 'gather_pot')));
  const payouts: bigint[] = [];
  for (const holder of [alice, ina, ida])
    payouts.push((await mineUntil(stack, claimShare(stack, vaultId, holder))).payout);
  expect(sum(payouts)).toBe(opened.pot);
  const ended = until(async () => (await readEnd(stack, vaultId)).status === 'TERMINATED', { what: 'the end' });
  await mineUntil(stack, ended);
  expect(await readEnd(stack, vaultId)).toMatchObject({ endedBecause: 'nothing_left', pot: { lovelace: '0' } });
  expect((await holdings(stack, ina.address)).get(nftUnit(policies[0], 'Work0'))).toBe(1n);
  expect((await expectBooks(stack, vaultId)).remains).toMatchObject([{ reason: 'vault_token' }]);
});

test('a rolled back reclaim no longer counts: the asset is delivered after all, the investment stays with its owner', async () => {
  const stack = stackOfFile();
  const [alice, bob, ina, ivo] = [person(121), person(122), person(123), person(124)];
  const { vaultId, policies, deposits } = await mintedVault(stack, 'Opus', [alice, bob], [ina, ivo]);
  await passDeadline(stack, vaultId);
  await stack.ledger.mine();
  const reclaims = [await reclaimDeposit(stack, vaultId, bob), await reclaimDeposit(stack, vaultId, ivo)];
  await stack.ledger.mine(6);
  const secondBatch = async () =>
    (
      await stack.sql.run`select id from chain_transactions
        where vault_id = ${vaultId} and kind = 'deliver' and state = 'submitted'`
    ).length > 0 && (await settlementOf(stack, vaultId)).revision !== null;
  await until(secondBatch, { what: 'the others to be paid by a revision' });
  const reclaimed = await stack.ledger.query<{ block_height: number }>(`/txs/${reclaims[0]}`);
  await stack.ledger.rollbackFrom(reclaimed?.block_height ?? 0);
  const vault = await mineUntil(stack, waitForVaultStatus(stack, vaultId, 'LOCKED'));

  const { entitlements, revision } = await settlementOf(stack, vaultId);
  const [, ofBob, , ofIvo] = deposits;
  expect(entitlements.filter((each) => each.reclaimed).map(({ depositId }) => depositId)).toEqual([ofIvo]);
  expect(revision?.invested).toBe('70000000001');
  const token = vault.fractionalization.tokenAddress;
  const custody = await holdings(stack, vault.contractAddress);
  expect(custody.get(nftUnit(policies[1], 'Opus1'))).toBe(1n);
  const ftOf = (deposit: string | undefined) =>
    BigInt(entitlements.find(({ depositId }) => depositId === deposit)?.ftBaseUnits ?? 0);
  expect(amountOf(await holdings(stack, bob.address), token)).toBe(ftOf(ofBob));
  expect(amountOf(custody, token)).toBe(ftOf(ofIvo));
  await reclaimDeposit(stack, vaultId, ivo);

  const events = await stack.sql.run<{ actor: string }>`select actor from outbox
      where vault_id = ${vaultId} and type = 'DEPOSIT_RECLAIM_ROLLED_BACK'`;
  expect(events).toEqual([{ actor: bob.address }]);
});

interface LedgerOutput {
  readonly address: string;
  readonly amount: readonly { readonly unit: string; readonly quantity: string }[];
}

async function lastOutputs(stack: TestStack, vaultId: string): Promise<readonly LedgerOutput[]> {
  const rows = await stack.sql.run<{ hash: string }>`select hash from chain_transactions
      where vault_id = ${vaultId} and kind = 'liquidity' and state in ('confirmed', 'final')`;
  return (await stack.ledger.query<{ outputs: LedgerOutput[] }>(`/txs/${rows[0]?.hash}/utxos`))?.outputs ?? [];
}
