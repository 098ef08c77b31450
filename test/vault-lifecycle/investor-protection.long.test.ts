import { expect, test } from '@jest/globals';
import { fileStack } from '../stack/file-stack.ts';
import type { TestStack } from '../stack/test-stack.ts';
import {
  contribute,
  fundWallet,
  holdings,
  person,
  submitWitnesses,
  type Person,
  waitForTransaction,
} from './participants.ts';
import type { UnsignedTransaction } from './participants.ts';
import { advance, advanceToBefore, createVault, waitForVaultStatus } from './vault-requests.ts';
import { errorResponse } from '../stack/error-response.ts';

const ADA = 1_000_000;
const DAY = 86_400;
const stackOfFile = fileStack();

interface Invested {
  readonly data: {
    readonly investmentId: string;
    readonly minVaultValue: string;
    readonly transaction: UnsignedTransaction;
  };
}

interface Listed {
  readonly data: {
    readonly investments: readonly {
      readonly investmentId: string;
      readonly status: string;
      readonly releaseReason: string | null;
      readonly boundHolds: boolean;
      readonly fdvBoundHolds: boolean;
    }[];
  };
}

/** Invests and waits until the investment is final. */
async function investAda(stack: TestStack, vaultId: string, investor: Person, ada: number, bounds: object = {}) {
  const { body, status } = await stack.api.post<Invested>(`/vaults/${vaultId}/investments`, {
    walletAddress: investor.address,
    lovelace: ada * ADA,
    ...bounds,
  });
  expect(status).toBe(201);
  const hash = await submitWitnesses(stack, investor, body.data.transaction);
  await waitForTransaction(stack, hash, ['final']);
  return { id: body.data.investmentId, minVaultValue: body.data.minVaultValue };
}

async function investmentIn(stack: TestStack, vaultId: string, id: string) {
  const { body } = await stack.api.get<Listed>(`/vaults/${vaultId}/investments`);
  const found = body.data.investments.find(({ investmentId }) => investmentId === id);
  if (!found) throw new Error(`investment ${id} is not listed`);
  const { status, releaseReason, boundHolds, fdvBoundHolds } = found;
  return { status, releaseReason, boundHolds, fdvBoundHolds };
}

const adaOf = async (stack: TestStack, { address }: Person) => (await holdings(stack, address)).get('lovelace') ?? 0n;

/** A vault with two assets of one contributor, worth 900 and 100 ADA. */
async function vaultOfOneContributor(stack: TestStack, contributor: Person, names: readonly [string, string]) {
  const vaultId = await createVault(stack, contributor.address, {
    asset: { asset_window_duration: '01:00:00', valuation_type: 'LBE', floor_price_percentage: 100 },
    investment: { investment_window_duration: '24h', minimum_investment_reserve: 5 },
  });
  const [big, small] = names;
  const policyId = await fundWallet(stack, contributor, { ada: 200, assets: { [big]: 1 } });
  await fundWallet(stack, contributor, { ada: 200, assets: { [small]: 1 } });
  for (const [name, ada] of [[big, 900] as const, [small, 100] as const]) {
    const assetNameHex = Buffer.from(name).toString('hex');
    await stack.ledger.setPrice({ policyId, assetNameHex, lovelace: String(ada * ADA) });
  }
  const { assetWindow } = await waitForVaultStatus(stack, vaultId, 'ACTIVE');
  const [first, second] = [
    await contribute(stack, vaultId, contributor, { policyId, name: big }),
    await contribute(stack, vaultId, contributor, { policyId, name: small }),
  ];
  for (const { hash } of [first, second]) await waitForTransaction(stack, hash, ['final']);
  return { vaultId, big: first.assetId, endsAt: assetWindow.endTime };
}

test('a contributor who removes 90 % of the assets at the last moment takes no ADA of those who did not agree to that', async () => {
  const stack = stackOfFile();
  const [contributor, careful, daring] = [person(191), person(192), person(193)];
  const { vaultId, big, endsAt } = await vaultOfOneContributor(stack, contributor, ['Manor', 'Shack']);
  for (const investor of [careful, daring]) await fundWallet(stack, investor, { ada: 1000 });
  const before = await adaOf(stack, careful);
  const quote = await stack.api.get<{ data: { minVaultValue: string } }>(
    `/vaults/${vaultId}/quote?lovelace=${300 * ADA}`,
  );
  expect(quote.body.data.minVaultValue).toBe(String(800 * ADA));
  const protectedOne = await investAda(stack, vaultId, careful, 300);
  expect(protectedOne.minVaultValue).toBe(String(800 * ADA));
  const unbounded = await investAda(stack, vaultId, daring, 40, { minVaultValue: 0 });

  await advanceToBefore(stack, 120, endsAt);
  const removal = await stack.api.del<{ data: { transactionHash: string } }>(`/vaults/${vaultId}/assets/${big}`);
  expect(removal.status).toBe(200);
  await waitForTransaction(stack, removal.body.data.transactionHash, ['confirmed', 'final']);
  expect(await investmentIn(stack, vaultId, protectedOne.id)).toEqual({
    status: 'CONFIRMED',
    releaseReason: null,
    boundHolds: false,
    fdvBoundHolds: true,
  });
  await advance(stack, 3600);

  await waitForVaultStatus(stack, vaultId, 'LOCKED');
  expect(await investmentIn(stack, vaultId, protectedOne.id)).toMatchObject({
    status: 'REFUNDED',
    releaseReason: 'value_below_bound',
  });
  expect(await investmentIn(stack, vaultId, unbounded.id)).toMatchObject({ status: 'SETTLED' });
  // Everything but the fees of two transactions is back.
  expect(before - (await adaOf(stack, careful))).toBeLessThan(1_000_000n);
  const { body } = await stack.api.get<{
    data: { settlement: { figures: { value: string; invested: string }; returned: object[] } };
  }>(`/vaults/${vaultId}`);
  expect(body.data.settlement).toMatchObject({
    figures: { value: String(100 * ADA), invested: String(40 * ADA) },
    returned: [{ depositId: protectedOne.id, depositKind: 'investment', reason: 'value_below_bound' }],
  });
});

test('a seller who invests at the last moment and gets that ADA back dilutes nobody who has bounded the FDV', async () => {
  const stack = stackOfFile();
  const [seller, careful, daring] = [person(196), person(197), person(198)];
  const { vaultId, endsAt } = await vaultOfOneContributor(stack, seller, ['Castle', 'Barn']);
  for (const investor of [careful, daring]) await fundWallet(stack, investor, { ada: 1000 });
  await fundWallet(stack, seller, { ada: 2000 });
  const before = await adaOf(stack, careful);
  const quote = await stack.api.get<{ data: { figures: { fdv: string } } }>(
    `/vaults/${vaultId}/quote?lovelace=${340 * ADA}`,
  );
  const { fdv } = quote.body.data.figures;
  const bounded = await investAda(stack, vaultId, careful, 300, { maxFdv: fdv });
  const unbounded = await investAda(stack, vaultId, daring, 40);
  const holds = { status: 'CONFIRMED', releaseReason: null, boundHolds: true, fdvBoundHolds: true };
  expect(await investmentIn(stack, vaultId, bounded.id)).toEqual(holds);

  await advanceToBefore(stack, 120, endsAt);
  const ownMoney = await investAda(stack, vaultId, seller, 900);
  expect(await investmentIn(stack, vaultId, bounded.id)).toEqual({ ...holds, fdvBoundHolds: false });
  expect(await investmentIn(stack, vaultId, unbounded.id)).toEqual(holds);
  await advance(stack, DAY);

  await waitForVaultStatus(stack, vaultId, 'LOCKED');
  expect(await investmentIn(stack, vaultId, bounded.id)).toMatchObject({
    status: 'REFUNDED',
    releaseReason: 'fdv_above_bound',
    fdvBoundHolds: false,
  });
  for (const { id } of [unbounded, ownMoney]) {
    expect(await investmentIn(stack, vaultId, id)).toMatchObject({ status: 'SETTLED' });
  }
  expect(before - (await adaOf(stack, careful))).toBeLessThan(1_000_000n);
  const { body } = await stack.api.get<{ data: { settlement: object } }>(`/vaults/${vaultId}`);
  expect(body.data.settlement).toMatchObject({
    figures: { invested: String(940 * ADA) },
    returned: [{ depositId: bounded.id, depositKind: 'investment', reason: 'fdv_above_bound' }],
  });
});

test('an investor takes an investment back until the window ends, once, and nobody else does', async () => {
  const stack = stackOfFile();
  const [contributor, investor] = [person(194), person(195)];
  const { vaultId } = await vaultOfOneContributor(stack, contributor, ['Court', 'Cabin']);
  await fundWallet(stack, investor, { ada: 500 });
  const before = await adaOf(stack, investor);
  const { id } = await investAda(stack, vaultId, investor, 100);
  const path = `/vaults/${vaultId}/investments/${id}`;
  const { api } = stack;
  const taken = await api.del<{ data: { transaction: { hash: string; status: string } } }>(path);
  expect(taken).toMatchObject({
    status: 200,
    body: { data: { investmentId: id, transaction: { status: 'pending' } } },
  });
  expect(await api.del(path)).toMatchObject(errorResponse(400, 'INVESTMENT_ALREADY_LEAVING'));
  const quote = await api.get<{ data: { figures: { invested: string } } }>(`/vaults/${vaultId}/quote?lovelace=${ADA}`);
  expect(quote.body.data.figures.invested).toBe(String(ADA));

  await waitForTransaction(stack, taken.body.data.transaction.hash, ['final']);
  expect(await investmentIn(stack, vaultId, id)).toMatchObject({ status: 'REFUNDED', releaseReason: 'removed' });
  expect(await api.del(path)).toMatchObject(errorResponse(400, 'INVESTMENT_ALREADY_RETURNED'));
  expect(before - (await adaOf(stack, investor))).toBeLessThan(1_000_000n);
  const missing = path.replace(id, '01890a5d-ac96-774b-bcce-b302099a8057');
  expect(await api.del(missing)).toMatchObject(errorResponse(404, 'INVESTMENT_NOT_FOUND'));
});
