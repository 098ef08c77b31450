import type { Payer } from '../../src/cardano/build/funding.ts';
import type { SigningKey } from '../../src/cardano/keys/keys.ts';
import { keyAddress } from '../../src/cardano/scripts/address.ts';
import { keys } from '../chain/sample-context.ts';
import type { MoneyLedger } from './ledger.ts';

/** Somebody with a wallet. */
export interface Party {
  readonly name: string;
  readonly key: SigningKey;
  readonly address: string;
}

function party(name: string, key: SigningKey): Party {
  return { name, key, address: keyAddress(key.keyHash, 0) };
}

/** They deposit, hold tokens and claim. */
export const people = Array.from({ length: 4 }, (_, number) => party(`person ${number}`, keys.vaultKey(100 + number)));
/** Sells to the vault and buys from it. */
export const market = party('market', keys.vaultKey(110));
/** Holds assets that the vault has staked elsewhere. */
export const stakingPartner = party('staking partner', keys.vaultKey(111));
/** Is named for what a vault leaves. */
export const heir = party('heir', keys.vaultKey(112));
export const operator = party('operator', keys.operator);
export const parties = [...people, market, stakingPartner, heir, operator];

/** Registered cosigners of the vault, which own nothing. */
export const cosigners = [keys.vaultKey(113), keys.vaultKey(114)];
/** The first one settles; each rotation takes the next. */
export const vaultKeys = Array.from({ length: 4 }, (_, number) => keys.vaultKey(number));
export const policyKey = keys.policyKey(0);

const signers = [...parties.map(({ key }) => key), ...cosigners, ...vaultKeys, policyKey];

/** The keys with these hashes. */
export function keysOf(keyHashes: readonly string[]): SigningKey[] {
  return signers.filter(({ keyHash }) => keyHashes.includes(keyHash));
}

/** A party who pays with all that its wallet has. */
export function payerOf({ utxosAt }: MoneyLedger, { key, address }: Party): Payer {
  return { address, keyHash: key.keyHash, utxos: utxosAt(address) };
}
