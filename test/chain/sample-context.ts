import { Address } from '@emurgo/cardano-serialization-lib-nodejs';
import { ServiceError } from '../../src/platform/errors.ts';
import { baseUnits, basisPoints, type Lovelace, lovelace } from '../../src/platform/units/money.ts';
import { scriptAddress } from '../../src/cardano/scripts/address.ts';
import { sumHoldings } from '../../src/cardano/build/values.ts';
import type { Deposit } from '../../src/cardano/build/deposits.ts';
import type { Payer } from '../../src/cardano/build/funding.ts';
import { deriveKeys, type SigningKey } from '../../src/cardano/keys/keys.ts';
import {
  custodyScript,
  depositScript,
  policyScript,
  settlementScript,
} from '../../src/cardano/scripts/vault-scripts.ts';
import { scriptHash } from '../../src/cardano/scripts/native-script.ts';
import type { ChainContext } from '../../src/cardano/ledger/parameters.ts';
import { preflight } from '../../src/cardano/build/preflight.ts';
import type { BuiltTransaction, Unit, Utxo } from '../../src/cardano/transaction.ts';
import { signTransaction } from '../../src/cardano/keys/witnesses.ts';

/** The public networks' parameters of 2026. */
export const context: ChainContext = {
  networkId: 0,
  parameters: { minFeeA: 44n, minFeeB: 155_381n, coinsPerUtxoByte: 4_310n, maxValueSize: 5_000, maxTxSize: 16_384 },
};

export const keys = deriveKeys('test walk nut penalty hip pave soap entry language right filter choice', 0);

/** Slots of the vault these tests rehearse: T, and a slot well before it. */
export const deadlineSlot = 100_000;
export const openSlot = 1_000;
export const ttlSlot = 2_000;

export interface Wallet {
  readonly key: SigningKey;
  /** A base address, the largest a wallet has. */
  readonly address: string;
}

export function wallet(number: number): Wallet {
  const key = keys.vaultKey(1_000 + number);
  const stakeKeyHash = keys.policyKey(1_000 + number).keyHash;
  return { key, address: Address.from_hex(`00${key.keyHash}${stakeKeyHash}`).to_bech32() };
}

const policyKey = keys.policyKey(0);
const policy = policyScript({ policyKeyHash: policyKey.keyHash, deadlineSlot });
const custody = custodyScript({ vaultKeyHash: keys.vaultKey(0).keyHash, cosigners: null });
const settlement = settlementScript({ vaultKeyHash: keys.vaultKey(0).keyHash });

export const vault = {
  key: keys.vaultKey(0),
  policyKey,
  policy,
  policyId: scriptHash(policy),
  custody,
  custodyAddress: scriptAddress(custody, 0),
  settlement,
  settlementAddress: scriptAddress(settlement, 0),
};

/** The terms of the vault, as far as its creation commits to them. */
export const vaultTerms = {
  ftSupply: baseUnits(10n ** 15n),
  ftDecimals: 6,
  ftPercentage: basisPoints(4_000n),
  lpPercentage: basisPoints(1_000n),
  reserve: basisPoints(0n),
  floorPricePercentage: basisPoints(8_000n),
  maxShare: basisPoints(10_000n),
  termination: { type: 'DAO', fdp: basisPoints(0n) },
} as const;

let created = 0;

/** A UTxO out of nowhere: the ledger is seeded with exactly what a transaction spends. */
export function utxo(address: string, coin: bigint, assets: Iterable<readonly [Unit, bigint]> = []): Utxo {
  created += 1;
  return {
    txHash: created.toString(16).padStart(64, '0'),
    index: created % 3,
    address,
    lovelace: lovelace(coin),
    assets: new Map(assets),
  };
}

export function payer({ key, address }: Wallet, ...utxos: readonly Utxo[]): Payer {
  return { address, keyHash: key.keyHash, utxos };
}

export function operator(...amounts: readonly bigint[]): Payer {
  const { address, keyHash } = keys.operator;
  return { address, keyHash, utxos: amounts.map((amount) => utxo(address, amount)) };
}

export function depositOf(owner: Wallet, coin: bigint, assets: Iterable<readonly [Unit, bigint]> = []): Deposit {
  const script = depositScript({ vaultKeyHash: vault.key.keyHash, ownerKeyHash: owner.key.keyHash, deadlineSlot });
  return { utxo: utxo(scriptAddress(script, 0), coin, assets), script, owner: owner.address };
}

/** A policy id and a name of 32 bytes, all different for each number. */
export function longUnit(number: number): Unit {
  return number.toString(16).padStart(56, 'a') + number.toString(16).padStart(64, 'b');
}

/** What the ledger rules say of it once these keys have signed: `accepted`, or the rule it breaks. */
export function verdict(
  built: Pick<BuiltTransaction, 'cbor' | 'inputs'>,
  signers: readonly SigningKey[],
  slot = openSlot,
): string {
  try {
    preflight({ signedCbor: signTransaction(built.cbor, signers), inputs: built.inputs, slot, context });
    return 'accepted';
  } catch (refusal) {
    if (refusal instanceof ServiceError && refusal.details) return String(refusal.details['rule']);
    throw refusal;
  }
}

/** What a transaction changes at an address: lovelace, and each asset. */
export function change(
  { inputs, outputs }: BuiltTransaction,
  address: string,
): { coin: bigint; assets: [Unit, bigint][] } {
  const at = (side: readonly { address: string; lovelace: Lovelace; assets: ReadonlyMap<Unit, bigint> }[]) =>
    sumHoldings(side.filter((one) => one.address === address));
  const [before, after] = [at(inputs), at(outputs)];
  const units = [...new Set([...before.assets.keys(), ...after.assets.keys()])];
  const moved = units.map((unit): [Unit, bigint] => [
    unit,
    (after.assets.get(unit) ?? 0n) - (before.assets.get(unit) ?? 0n),
  ]);
  return { coin: after.lovelace - before.lovelace, assets: moved.filter(([, quantity]) => quantity !== 0n) };
}
