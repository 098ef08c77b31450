import type { Lovelace } from '../../platform/units/money.ts';
import type { Datum, DraftInput, DraftOutput } from './draft.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { smallestOutput } from './outputs.ts';
import { subtractAssets, sumHoldings } from './values.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import type { BuiltTransaction, KeyHash, Unit } from '../transaction.ts';

export interface VaultClosing {
  /** What holds the vault's NFT, its reference token, redeemed tokens and the operator's float. */
  readonly inputs: readonly DraftInput[];
  readonly custodyAddress: string;
  readonly claimsAddress: string;
  readonly ftUnit: Unit;
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
 * operator. Redeemed tokens stay in a pot that can be claimed: they say on the ledger how many still circulate. Throws
 * INSUFFICIENT_FUNDS.
 */
export function buildVaultClosing({ parameters }: ChainContext, input: VaultClosing): BuiltTransaction {
  const { inputs, custodyAddress, claimsAddress, ftUnit, claimable, datum, vaultKeyHash, operator, ttlSlot } = input;
  const { assets } = sumHoldings(inputs.map(({ utxo }) => utxo));
  const redeemed = claimable > 0n ? new Map([...assets].filter(([unit]) => unit === ftUnit)) : new Map<Unit, bigint>();
  const tokens = subtractAssets(assets, redeemed);
  const outputs: DraftOutput[] = [
    ...(tokens.size > 0 ? [smallestOutput(parameters, { address: custodyAddress, assets: tokens, datum })] : []),
    ...(claimable > 0n ? [{ address: claimsAddress, lovelace: claimable, assets: redeemed }] : []),
  ];
  return buildBalanced(parameters, operator, { fixedInputs: inputs, outputs, ttlSlot, cosigners: [vaultKeyHash] });
}
