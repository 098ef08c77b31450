import { buildAddAssets, buildDepositReturn, buildInvest } from '../../src/cardano/build/deposits.ts';
import { depositAddressOf } from '../../src/cardano/scripts/script-addresses.ts';
import { outputUtxo } from '../../src/cardano/transaction.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { context } from '../chain/sample-context.ts';
import { type Action, partOf, personOf, pick } from './choice.ts';
import { type Changes, land } from './land.ts';
import { parties, type Party, payerOf } from './parties.ts';
import { ADA, assetsIn, type Deposit, deposited, ttlOf, type World } from './world.ts';

/** Somebody deposits an asset, or a part of many of a kind. */
export const contribute: Action = (world, choice) => {
  const owner = personOf(choice);
  const held = pick(assetsIn(world.ledger.utxosAt(owner.address)), choice);
  if (!held) return;
  const [unit, quantity] = held;
  const part = partOf(quantity, choice);
  const built = buildAddAssets(context, {
    owner: payerOf(world.ledger, owner),
    depositAddress: depositAddress(world, owner).address,
    assets: [{ unit, quantity: part > 0n ? part : 1n }],
    deliveryDeposit: deposited.asset,
    ttlSlot: ttlOf(world),
  });
  land(world, { kind: 'add_asset', built, changes: { [owner.name]: { lovelace: 0n - built.fee } } });
  remember(world, owner, { utxo: outputUtxo(built, 0), amount: 1n + partOf(1_000n * ADA, choice), kind: 'asset' });
};

export const invest: Action = (world, choice) => {
  const investor = personOf(choice);
  const amount = 5n * ADA + partOf(1_000n * ADA, choice);
  const built = buildInvest(context, {
    investor: payerOf(world.ledger, investor),
    depositAddress: depositAddress(world, investor).address,
    lovelace: lovelace(amount),
    deliveryDeposit: deposited.investment,
    ttlSlot: ttlOf(world),
  });
  land(world, { kind: 'invest', built, changes: { [investor.name]: { lovelace: 0n - built.fee } } });
  remember(world, investor, { utxo: outputUtxo(built, 0), amount, kind: 'investment' });
};

export const takeBack: Action = (world, choice) => {
  const deposit = pick(world.deposits, choice);
  if (deposit) returnDeposits(world, [deposit]);
};

/** Returns deposits as the platform does: their owners pay the fee and nothing else. */
export function returnDeposits(world: World, deposits: readonly Deposit[]): void {
  for (let left = deposits; left.length > 0;) {
    const { transaction, taken, payments } = buildDepositReturn(context, {
      deposits: left.map(({ owner, utxo }) => ({
        utxo,
        owner: owner.address,
        script: depositAddress(world, owner).script,
      })),
      signers: [world.vault.settlementKeyHash],
      ttlSlot: ttlOf(world),
    });
    land(world, {
      kind: 'refund',
      built: transaction,
      changes: sumByOwner(payments, ({ feeShare }) => ({ lovelace: 0n - feeShare })),
    });
    left = left.slice(taken);
  }
  forget(world, deposits);
}

/** The address of what somebody deposits, which is counted as theirs. */
export function depositAddress({ vault, owners }: World, { key, name }: Party) {
  const found = depositAddressOf(vault, key.keyHash, 0);
  owners.set(found.address, name);
  return found;
}

export function forget(world: World, deposits: readonly Deposit[]): void {
  world.deposits = world.deposits.filter((deposit) => !deposits.includes(deposit));
}

/** The changes of what owners have, added up for each. */
export function sumByOwner<Payment extends { readonly owner: string }>(
  payments: readonly Payment[],
  changeOf: (payment: Payment) => { readonly lovelace: bigint; readonly tokens?: bigint },
): Changes {
  const byAddress = Map.groupBy(payments, ({ owner }) => owner);
  return Object.fromEntries(
    parties.flatMap(({ name, address }) => {
      const theirs = byAddress.get(address)?.map(changeOf);
      if (!theirs) return [];
      const sum = { lovelace: 0n, tokens: 0n };
      for (const { lovelace: coin, tokens = 0n } of theirs) {
        sum.lovelace += coin;
        sum.tokens += tokens;
      }
      return [[name, sum]];
    }),
  );
}

function remember(world: World, owner: Party, deposit: Pick<Deposit, 'utxo' | 'amount' | 'kind'>): void {
  world.deposits = [...world.deposits, { id: deposit.utxo.txHash, owner, ...deposit }];
}
