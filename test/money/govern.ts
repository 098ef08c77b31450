import { buildAssetPurchase, buildAssetSale } from '../../src/cardano/build/execution.ts';
import {
  buildAssetReturn,
  buildAssetStaking,
  buildStake,
  stakeDeposit,
  buildUnstake,
} from '../../src/cardano/build/staking.ts';
import { selectUtxos } from '../../src/cardano/build/funding.ts';
import { buildCustodyMove } from '../../src/cardano/build/custody.ts';
import { sumHoldings } from '../../src/cardano/build/values.ts';
import { ownGuards } from '../../src/cardano/scripts/own-guards.ts';
import { scriptHash } from '../../src/cardano/scripts/native-script.ts';
import { stakeAddressOf } from '../../src/cardano/scripts/script-addresses.ts';
import { referenceDatum, referenceUnit } from '../../src/cardano/tokens/fractional-token.ts';
import { outputUtxo, type Utxo } from '../../src/cardano/transaction.ts';
import { lovelace } from '../../src/platform/units/money.ts';
import { context } from '../chain/sample-context.ts';
import { type Action, partOf, personOf, pick } from './choice.ts';
import { land } from './land.ts';
import { market, operator, payerOf, type Party, stakingPartner, vaultKeys } from './parties.ts';
import {
  ADA,
  assetsIn,
  custodyOf,
  custodyWith,
  ftDescription,
  ftNameHex,
  ftPolicy,
  guardOf,
  isSpendable,
  nameAddresses,
  own,
  parameters,
  settlesBySlot,
  spendable,
  type Stake,
  ttlOf,
  unitOfFt,
  vaultKeyOf,
  type World,
} from './world.ts';

/** The vault sells an asset to the market, and keeps the price. */
export const sell: Action = (world, choice) => void sellTo(world, choice);

/** The vault sells an asset, or a part of many of a kind. Returns the transaction; null when it has none. */
export function sellTo(world: World, choice: Parameters<Action>[1], proceedsAddress?: string) {
  const found = pick(assetsIn(spendable(world)), choice);
  if (!found) return null;
  const [unit, quantity] = found;
  const part = partOf(quantity, choice);
  const assets = new Map([[unit, part > 0n ? part : 1n]]);
  const price = 2n * ADA + partOf(2_000n * ADA, choice);
  const built = buildAssetSale(context, {
    custody: custodyOf(world),
    utxos: selectUtxos(spendable(world), assets),
    assets,
    price: lovelace(price),
    buyer: payerOf(world.ledger, market),
    proceedsAddress,
    ttlSlot: ttlOf(world),
  });
  land(world, { kind: 'execute', built, changes: { market: { lovelace: 0n - price - built.fee } } });
  return built;
}

/** The vault buys an asset for a part of its ADA, and pays the fee. */
export const buy: Action = (world, choice) => {
  const coins = spendable(world).filter(({ assets }) => assets.size === 0);
  const price = partOf(sumHoldings(coins).lovelace, choice) - 5n * ADA;
  const found = pick(assetsIn(world.ledger.utxosAt(market.address)), choice);
  if (!found || price < ADA) return;
  const built = buildAssetPurchase(context, {
    custody: custodyOf(world),
    utxos: coins,
    assets: new Map([found]),
    price: lovelace(price),
    seller: payerOf(world.ledger, market),
    ttlSlot: ttlOf(world),
  });
  land(world, { kind: 'execute', built, changes: { market: { lovelace: price } } });
};

/** The vault stakes one or several assets elsewhere; their min-ADA goes with them. */
export const stakeElsewhere: Action = (world, choice) => {
  const found = severalOf(assetsIn(spendable(world)), choice);
  if (found.length === 0) return;
  const assets = new Map(found);
  const built = buildAssetStaking(context, {
    custody: custodyOf(world),
    assets,
    holding: selectUtxos(spendable(world), assets),
    stakingAddress: stakingPartner.address,
    payer: payerOf(world.ledger, operator),
    ttlSlot: ttlOf(world),
  });
  const moved = built.outputs[0]?.lovelace ?? 0n;
  const changes = { [stakingPartner.name]: { lovelace: moved } };
  land(world, { kind: 'execute', built, changes, isPaidByOperator: true });
};

/** The holder returns one or several assets with their min-ADA; the operator pays the fee and nothing else. */
export const bringBack: Action = (world, choice) => {
  const holder = payerOf(world.ledger, stakingPartner);
  const found = severalOf(assetsIn(holder.utxos), choice);
  if (found.length === 0) return;
  const built = buildAssetReturn(context, {
    custody: custodyOf(world),
    assets: new Map(found),
    holder,
    payer: payerOf(world.ledger, operator),
    ttlSlot: ttlOf(world),
  });
  const ofHolder = (of: typeof built.inputs | typeof built.outputs) =>
    sumHoldings(of.filter(({ address }) => address === stakingPartner.address)).lovelace;
  const changes = {
    [stakingPartner.name]: { lovelace: ofHolder(built.outputs) - ofHolder(built.inputs) },
    [operator.name]: { lovelace: 0n - built.fee },
  };
  land(world, { kind: 'execute', built, changes });
};

function severalOf<One>(from: readonly One[], { what, who }: Parameters<Action>[1]): readonly One[] {
  const first = what % Math.max(1, from.length);
  return from.slice(first, first + 1 + (who % 3));
}

/** A holder stakes a part of their tokens. */
export const stake: Action = (world, choice) => {
  const owner = personOf(choice);
  const amount = partOf(tokensOf(world, owner), choice);
  if (amount === 0n) return;
  const vaultKey = vaultKeyOf(world);
  const { address } = stakeAddress(world, { owner, vaultKey });
  const built = buildStake(context, {
    owner: payerOf(world.ledger, owner),
    stakeAddress: address,
    ftUnit: unitOfFt,
    amount,
    returnDeposit: stakeDeposit(parameters),
    ttlSlot: ttlOf(world),
  });
  land(world, { kind: 'stake', built, changes: { [owner.name]: { lovelace: 0n - built.fee } } });
  world.stakes = [...world.stakes, { owner, vaultKey, utxo: outputUtxo(built, 0) }];
};

export const unstake: Action = (world, choice) => {
  const found = pick(world.stakes, choice);
  if (!found) return;
  const { owner, utxo, vaultKey } = found;
  const built = buildUnstake(context, {
    stake: { utxo, script: stakeAddress(world, found).script },
    owner: owner.address,
    ownerKeyHash: owner.key.keyHash,
    vaultKeyHash: vaultKey.keyHash,
    ttlSlot: ttlOf(world),
  });
  land(world, { kind: 'unstake', built, changes: { [owner.name]: { lovelace: 0n - built.fee } } });
  world.stakes = world.stakes.filter((one) => one !== found);
};

function stakeAddress({ owners }: World, { owner, vaultKey }: Pick<Stake, 'owner' | 'vaultKey'>) {
  const owned = { ownerKeyHash: owner.key.keyHash, releaseSlot: settlesBySlot + 365 * 86_400 };
  const found = stakeAddressOf({ vaultKeyHash: vaultKey.keyHash }, owned, 0);
  owners.set(found.address, owner.name);
  return found;
}

/** The fractional tokens in a wallet. */
export function tokensOf({ ledger }: World, { address }: Party): bigint {
  return sumHoldings(ledger.utxosAt(address)).assets.get(unitOfFt) ?? 0n;
}

/** The vault gets another key; everything that it has moves to the addresses of that. */
export const rotate: Action = (world) => {
  const { vault } = world;
  const next = vaultKeys[vaultKeys.indexOf(vaultKeyOf(world)) + 1];
  if (!next) return;
  const { vaultKeyHash, cosigners, contractAddress } = vault;
  const formerCustodies = [...vault.formerCustodies, { vaultKeyHash, cosigners, contractAddress }];
  world.vault = { ...vault, ...custodyWith(next, world.terms), formerCustodies };
  nameAddresses(world);
  for (const from of ownGuards(world.vault, 0)) {
    if (from.kind !== 'custody' && from.kind !== 'liquidity') continue;
    const { address: to } = guardOf(world, from.kind);
    if (to === from.address) continue;
    for (const kind of ['move_custody', 'move_kept'] as const) moveAll(world, { from, to, kind });
  }
};

interface Move {
  readonly from: Parameters<typeof buildCustodyMove>[1]['from'];
  readonly to: string;
  readonly kind: 'move_custody' | 'move_kept';
}

function moveAll(world: World, { from, to, kind }: Move): void {
  const isKept = (utxo: Utxo) => from.kind === 'custody' && !isSpendable(world, utxo);
  for (;;) {
    const utxos = own(world, from.address).filter((utxo) => isKept(utxo) === (kind === 'move_kept'));
    if (utxos.length === 0) return;
    const unit = referenceUnit(scriptHash(ftPolicy), ftNameHex);
    const described = { unit, datum: referenceDatum(ftDescription) };
    const payer = payerOf(world.ledger, operator);
    const built = buildCustodyMove(context, { utxos, from, to, described, operator: payer, ttlSlot: ttlOf(world) });
    land(world, { kind, built, changes: {}, isPaidByOperator: true });
  }
}
