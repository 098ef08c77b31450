import { expect } from '@jest/globals';
import { sumHoldings, type Value } from '../../src/cardano/build/values.ts';
import { signTransaction } from '../../src/cardano/keys/witnesses.ts';
import type { BuiltTransaction } from '../../src/cardano/transaction.ts';
import type { TransactionKind } from '../../src/transactions/rules.ts';
import { keysOf, parties, type Party } from './parties.ts';
import { unitOfFt, type World } from './world.ts';

/** By how much a transaction changes what somebody has, in wallet, deposits and stakes. */
export interface Change {
  readonly lovelace?: bigint;
  readonly tokens?: bigint;
}

/** What a transaction may change besides the vault; whoever is not named has the same before and after. */
export type Changes = Readonly<Record<string, Change>>;

export interface ExpectedChanges {
  /** Null for what the service does not build. */
  readonly kind: TransactionKind | null;
  readonly built: BuiltTransaction;
  readonly changes: Changes;
  /** Of the operator it is only known that they pay, unless they are named. */
  readonly isPaidByOperator?: boolean;
}

/** Puts transactions into one block of the ledger, signed by whoever they ask, and checks who has got and who has paid what. */
export function land(world: World, ...confirmations: readonly ExpectedChanges[]): void {
  const before = holdings(world);
  world.ledger.land(confirmations.map(({ built }) => signTransaction(built.cbor, keysOf(built.requiredSigners))));
  for (const { kind, built } of confirmations) if (kind !== null) world.kinds.set(built.hash, kind);
  expectChanges(before, holdings(world), confirmations);
  expectBalance(world);
}

function expectChanges(before: Holdings, after: Holdings, confirmations: readonly ExpectedChanges[]): void {
  for (const { name } of parties) {
    const expected = confirmations.flatMap(({ changes }) => changes[name] ?? []);
    const difference = (of: (value: Value) => bigint) =>
      of(after.get(name) ?? nothing) - of(before.get(name) ?? nothing);
    const actual = {
      name,
      lovelace: difference((value) => value.lovelace),
      tokens: difference(({ assets }) => assets.get(unitOfFt) ?? 0n),
    };
    if (name === 'operator' && confirmations.some(({ isPaidByOperator }) => isPaidByOperator)) continue;
    expect(actual).toEqual({
      name,
      lovelace: expected.reduce((sum, change) => sum + (change.lovelace ?? 0n), 0n),
      tokens: expected.reduce((sum, change) => sum + (change.tokens ?? 0n), 0n),
    });
  }
}

type Holdings = ReadonlyMap<string, Value>;
const nothing: Value = sumHoldings([]);

/** What each party and the vault have on the ledger. Throws for an output that is nobody's. */
export function holdings({ ledger, owners }: World): Holdings {
  const byOwner = Map.groupBy(ledger.all(), ({ address }) => {
    const owner = owners.get(address);
    if (owner === undefined) throw new Error(`nobody is at ${address}`);
    return owner;
  });
  return new Map([...byOwner].map(([owner, utxos]) => [owner, sumHoldings(utxos)]));
}

/** The lovelace of somebody, in wallet, deposits and stakes. */
export function lovelaceOf(world: World, { name }: Pick<Party, 'name'>): bigint {
  return holdings(world).get(name)?.lovelace ?? 0n;
}

/** What people and vault hold, and what was paid as fees, is what came in. */
function expectBalance(world: World): void {
  const { lovelace, assets } = sumHoldings(holdings(world).values());
  expect({ lovelace: lovelace + world.ledger.fees(), units: assets }).toEqual({
    lovelace: world.came.lovelace,
    units: world.came.units,
  });
}
