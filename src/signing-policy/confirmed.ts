import { parseWalletAddress } from '../cardano/scripts/address.ts';
import { depositAddressOf, stakeAddressOf } from '../cardano/scripts/script-addresses.ts';
import type { Holding, KeyHash, NetworkId, Unit, Utxo } from '../cardano/transaction.ts';
import { type DecodedTransaction, validSignaturesOf } from './decoder.ts';
import { equalAssets, assertAllowed } from './policy.ts';
import { refText, type UtxoRef, type TransactionKind } from '../transactions/rules.ts';

type Outputs = Pick<DecodedTransaction, 'outputs'>;

interface RecordedStake {
  readonly wallet: string;
  readonly vaultKeyHash: KeyHash;
  readonly releaseSlot: number;
  readonly ftUnit: Unit;
  readonly amount: bigint;
}

/** What a row says of a deposit; any lovelace where none is named. */
interface RecordedDeposit {
  readonly wallet: string;
  readonly vault: Parameters<typeof depositAddressOf>[0];
  readonly index: number;
  readonly assets: Holding['assets'];
  readonly lovelace?: bigint;
}

/** Throws TRANSACTION_NOT_JUSTIFIED unless the first output is a stake as it was recorded, in the script of its owner. */
export function requireStaked(transaction: Outputs, stake: RecordedStake, networkId: NetworkId): void {
  const { vaultKeyHash, releaseSlot, ftUnit, amount } = stake;
  const { paymentKeyHash: ownerKeyHash } = parseWalletAddress(stake.wallet, networkId);
  const { address } = stakeAddressOf({ vaultKeyHash }, { ownerKeyHash, releaseSlot }, networkId);
  requireOutput(transaction, 0, { address, assets: new Map([[ftUnit, amount]]) });
}

/** Throws TRANSACTION_NOT_JUSTIFIED unless an output is a deposit as it was recorded, in the script of its owner. */
export function requireDeposited(transaction: Outputs, deposit: RecordedDeposit, networkId: NetworkId): void {
  const { vault, wallet, index, ...held } = deposit;
  const { address } = depositAddressOf(vault, parseWalletAddress(wallet, networkId).paymentKeyHash, networkId);
  requireOutput(transaction, index, { address, ...held });
}

function requireOutput(
  { outputs }: Outputs,
  index: number,
  { address, assets, lovelace }: Pick<Holding, 'address' | 'assets'> & { readonly lovelace?: bigint },
): void {
  const output = outputs[index];
  const isAsExpected =
    output?.address === address &&
    equalAssets(output.assets, assets) &&
    (lovelace === undefined || output.lovelace === lovelace);
  assertAllowed(isAsExpected, `its output ${index} is not what was recorded of it at ${address}`);
}

/** Throws TRANSACTION_NOT_JUSTIFIED unless it spends all of these outputs. */
export function requireSpent({ inputs }: Pick<DecodedTransaction, 'inputs'>, outputs: readonly UtxoRef[]): void {
  const spent = new Set(inputs.map(refText));
  const unspent = outputs.map(refText).find((ref) => !spent.has(ref));
  assertAllowed(unspent === undefined, `it does not spend ${unspent}, which it was recorded to return`);
}

/** The keys that have signed a transaction, by its signed bytes (CBOR hex); none for the bytes of another one. */
export function signersOf({ hash }: Pick<DecodedTransaction, 'hash'>, signed: string): readonly KeyHash[] {
  const signatures = validSignaturesOf(signed);
  return signatures.hash === hash ? signatures.signers : [];
}

export function areOutputsOf(
  { hash, outputs }: Pick<DecodedTransaction, 'hash' | 'outputs'>,
  recorded: readonly Utxo[],
): boolean {
  return (
    outputs.length === recorded.length &&
    outputs.every(({ address, lovelace, assets }, index) => {
      const stored = recorded[index];
      const isAtIndex = stored?.txHash === hash && stored.index === index && stored.address === address;
      return isAtIndex && stored.lovelace === lovelace && equalAssets(stored.assets, assets);
    })
  );
}

/** Whether these are all inputs of a transaction, in any order. */
export function areInputsOf({ inputs }: Pick<DecodedTransaction, 'inputs'>, recorded: readonly UtxoRef[]): boolean {
  const textOf = (refs: readonly UtxoRef[]) => refs.map(refText).sort().join();
  return textOf(inputs) === textOf(recorded);
}

/**
 * What shows that a transaction of a kind does what its row says once it has been confirmed: what it brings, that it spends what it returns, or the
 * signature of a key that checked it against that row. Null where the api has no right to record it (`8_rights.sql`): the worker did.
 */
export const confirmationChecks = {
  create_vault: 'key of vault',
  add_asset: 'assets',
  remove_asset: 'returned',
  remove_investment: 'returned',
  invest: 'investment',
  stake: 'stake',
  unstake: 'returned',
  mint: null,
  deliver: null,
  liquidity: null,
  refund: null,
  fan_out: null,
  anchor: 'key of operator',
  execute: 'key of vault',
  return_unsolicited: 'returned',
  gather_pot: null,
  hand_over: null,
  pay_remainder: null,
  close_vault: null,
  claim: 'key of vault',
  move_custody: null,
  move_kept: null,
} as const satisfies Record<TransactionKind, string | null>;

export type ConfirmationCheck = NonNullable<(typeof confirmationChecks)[TransactionKind]>;
