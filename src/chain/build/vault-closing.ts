import type { Lovelace } from '../../domain/units/money.ts';
import type { Datum, DraftInput, DraftOutput } from './draft.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { smallestOutput } from './outputs.ts';
import { sumHoldings } from './values.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Unit } from '../transaction.ts';

export interface VaultClosing {
  /** What holds the vault's NFT, its reference token, redeemed tokens and the operator's float. */
  readonly inputs: readonly DraftInput[];
  readonly custodyAddress: string;
  readonly claimsAddress: string;
  /** What stays in the pot, in one output, for those who claim late; nothing when it is 0. */
  readonly claimable: Lovelace;
  /** Describes the fractional token, some of which may be in wallets for ever. */
  readonly datum: Datum;
  readonly vaultKeyHash: KeyHash;
  /** Pays the fee and gets back what it added. */
  readonly operator: Payer;
  readonly ttlSlot: number;
}

/**
 * Leaves the tokens that nobody can burn in one output in custody, what can still be claimed in one of the pot, and the rest to the
 * operator. Throws INSUFFICIENT_FUNDS.
 */
export function buildVaultClosing({ parameters }: ChainContext, input: VaultClosing): BuiltTransaction {
  const { inputs, custodyAddress, claimsAddress, claimable, datum, vaultKeyHash, operator, ttlSlot } = input;
  const { assets } = sumHoldings(inputs.map(({ utxo }) => utxo));
  const pot = { address: claimsAddress, lovelace: claimable, assets: new Map<Unit, bigint>() };
  const outputs: DraftOutput[] = [
    ...(assets.size > 0 ? [smallestOutput(parameters, { address: custodyAddress, assets, datum })] : []),
    ...(claimable > 0n ? [pot] : []),
  ];
  return buildBalanced(parameters, operator, { fixedInputs: inputs, outputs, ttlSlot, cosigners: [vaultKeyHash] });
}
