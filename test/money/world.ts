import { deliveryDeposits } from '../../src/cardano/build/deposits.ts';
import { buildBalanced } from '../../src/cardano/build/funding.ts';
import type { Custody } from '../../src/cardano/build/custody.ts';
import { sumHoldings, type Value } from '../../src/cardano/build/values.ts';
import type { SigningKey } from '../../src/cardano/keys/keys.ts';
import { signTransaction } from '../../src/cardano/keys/witnesses.ts';
import { scriptAddress } from '../../src/cardano/scripts/address.ts';
import { scriptHash } from '../../src/cardano/scripts/native-script.ts';
import { type OwnGuard, ownGuards, type VaultGuards } from '../../src/cardano/scripts/own-guards.ts';
import { custodyAddressOf } from '../../src/cardano/scripts/script-addresses.ts';
import { custodyScript, policyScript, settlementScript } from '../../src/cardano/scripts/vault-scripts.ts';
import { ftUnit } from '../../src/cardano/tokens/fractional-token.ts';
import type { Unit, Utxo } from '../../src/cardano/transaction.ts';
import { policyOf } from '../../src/assets/rules/asset.ts';
import type { SettlementInput } from '../../src/settlement/rules/distribution.ts';
import type { Pot } from '../../src/termination/rules/pot.ts';
import { isSpendableFromCustody, type TransactionKind } from '../../src/transactions/rules.ts';
import { type Lovelace, lovelace } from '../../src/platform/units/money.ts';
import { context } from '../chain/sample-context.ts';
import { type MoneyLedger, openMoneyLedger, startSlot } from './ledger.ts';
import { cosigners, market, parties, type Party, payerOf, people, policyKey, vaultKeys } from './parties.ts';
import { instant } from '../../src/platform/units/time.ts';

export const ADA = 1_000_000n;
/** What each party has in the beginning. */
export const WEALTH = 1_000_000n * ADA;
const ASSETS_EACH = 4;
export const { parameters } = context;
export const deposited = deliveryDeposits(parameters);

/** From then on depositors can take their deposits back alone. */
export const settlesBySlot = startSlot + 7_200;
export const ftPolicy = policyScript({ policyKeyHash: policyKey.keyHash, deadlineSlot: settlesBySlot });
export const ftNameHex = '415254';
export const ftDescription = { name: 'Vault of art', ticker: 'ART', decimals: 2 };
export const unitOfFt = ftUnit(scriptHash(ftPolicy), ftNameHex);

export interface Terms extends Pick<SettlementInput, 'supply' | 'ftPercentage' | 'lpPercentage' | 'reserve'> {
  readonly hasCosigners: boolean;
}

export interface Deposit {
  readonly id: string;
  readonly owner: Party;
  readonly utxo: Utxo;
  /** Market value of an asset, or lovelace of an investment. */
  readonly amount: bigint;
  readonly kind: 'asset' | 'investment';
}

export interface Stake {
  readonly owner: Party;
  readonly utxo: Utxo;
  readonly vaultKey: SigningKey;
}

export interface World {
  readonly ledger: MoneyLedger;
  readonly terms: Terms;
  /** Whose an address is, by name; `vault` for those of the vault. */
  readonly owners: Map<string, string>;
  /** What transactions of the vault were made for, by hash. */
  readonly kinds: Map<string, TransactionKind>;
  /** What exists; it grows by what the vault mints. */
  readonly came: { lovelace: bigint; readonly units: Map<Unit, bigint> };
  vault: VaultGuards;
  deposits: readonly Deposit[];
  stakes: readonly Stake[];
  pot: Pot;
  /** What the operator has lent to the pot. */
  float: Lovelace;
}

/** A world in which people have assets, and a vault has nothing yet. */
export async function newWorld(terms: Terms): Promise<World> {
  const ledger = await openMoneyLedger(
    parties.map(({ address }) => address),
    WEALTH,
  );
  const [first] = vaultKeys;
  if (!first) throw new Error('no key for the vault');
  const world: World = {
    ledger,
    terms,
    owners: new Map(parties.map(({ address, name }) => [address, name])),
    kinds: new Map(),
    came: { lovelace: WEALTH * BigInt(parties.length), units: new Map() },
    vault: {
      ...custodyWith(first, terms),
      formerCustodies: [],
      settlementKeyHash: first.keyHash,
      settlesBySlot,
      settlementAddress: scriptAddress(settlementScript({ vaultKeyHash: first.keyHash }), 0),
    },
    deposits: [],
    stakes: [],
    pot: { lovelace: lovelace(0n), circulating: terms.supply },
    float: lovelace(0n),
  };
  nameAddresses(world);
  mintAssets(world);
  return world;
}

/** A transaction that is built now can be confirmed for so long. */
export function ttlOf({ ledger }: World): number {
  return ledger.slot() + 600;
}

/** Which addresses are the vault's, after they have changed. */
export function nameAddresses({ vault, owners }: World): void {
  for (const { address } of ownGuards(vault, 0)) owners.set(address, 'vault');
}

/** A custody with this key. */
export function custodyWith({ keyHash: vaultKeyHash }: SigningKey, { hasCosigners }: Terms) {
  const keyHashes = cosigners.map(({ keyHash }) => keyHash);
  const guard = {
    vaultKeyHash,
    cosigners: hasCosigners ? { required: 1, keyHashes, alone: { from: instant(0), fromSlot: 900_000_000 } } : null,
  };
  return { ...guard, contractAddress: custodyAddressOf(guard, 0).address };
}

/** The present key of the vault. */
export function vaultKeyOf({ vault }: World): SigningKey {
  const key = vaultKeys.find(({ keyHash }) => keyHash === vault.vaultKeyHash);
  if (!key) throw new Error('the vault has a key of somebody else');
  return key;
}

/** The custody as builders want it. */
export function custodyOf({ vault }: World): Custody {
  const { vaultKeyHash, contractAddress: address } = vault;
  const keyHashes = vault.cosigners?.keyHashes ?? [];
  return {
    address,
    script: custodyScript(vault),
    vaultKeyHash,
    cosigners: keyHashes,
    allCosign: keyHashes.length === 0,
  };
}

/** What guards the present address of this kind. */
export function guardOf({ vault }: World, kind: OwnGuard['kind']): OwnGuard {
  const guard = ownGuards(vault, 0).find((one) => one.kind === kind);
  if (!guard) throw new Error(`the vault has no ${kind}`);
  return guard;
}

/** Outputs in custody that an execution may spend. */
export function spendable(world: World): Utxo[] {
  return world.ledger.utxosAt(world.vault.contractAddress).filter((utxo) => isSpendable(world, utxo));
}

/** Whether an execution may spend this output of a custody. */
export function isSpendable({ kinds }: World, { txHash }: Utxo): boolean {
  const kind = kinds.get(txHash);
  return kind !== undefined && isSpendableFromCustody(kind);
}

/** Outputs that transactions of the vault made. */
export function own({ ledger, kinds }: World, address: string): Utxo[] {
  return ledger.utxosAt(address).filter(({ txHash }) => kinds.has(txHash));
}

const assetPolicy = { sig: market.key.keyHash };
const assetPolicyId = scriptHash(assetPolicy);

/** The assets among these holdings: tokens of the vault are none. */
export function assetsIn(holdings: Iterable<Value>): [Unit, bigint][] {
  return [...sumHoldings(holdings).assets].filter(([unit]) => policyOf(unit) === assetPolicyId).toSorted();
}

/** Single ones and many of a kind, for each person and for the market. */
function mintAssets({ ledger, came }: World): void {
  const made = [...people, market].flatMap((owner, index) =>
    Array.from({ length: ASSETS_EACH }, (_, number) => {
      return { owner, name: `0${index}0${number}`, quantity: number % 2 === 0 ? 1n : 1_000n };
    }),
  );
  const built = buildBalanced(parameters, payerOf(ledger, market), {
    outputs: made.map(({ owner, name, quantity }) => {
      return {
        address: owner.address,
        lovelace: lovelace(2n * ADA),
        assets: new Map([[assetPolicyId + name, quantity]]),
      };
    }),
    mint: { policy: assetPolicy, quantities: new Map(made.map(({ name, quantity }) => [name, quantity])) },
    ttlSlot: ledger.slot() + 600,
  });
  ledger.land([signTransaction(built.cbor, [market.key])]);
  for (const { name, quantity } of made) came.units.set(assetPolicyId + name, quantity);
}
