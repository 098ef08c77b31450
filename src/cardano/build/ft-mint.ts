import { settlementFloat } from './deposits.ts';
import { buildBalanced, type Payer } from './funding.ts';
import { type NativeScript, scriptHash } from '../scripts/native-script.ts';
import type { ChainContext } from '../ledger/parameters.ts';
import { type FtDescription, ftNameHex, referenceDatum, referenceNameHex } from '../tokens/fractional-token.ts';
import type { PlanCommitment } from '../../settlement/rules/plan-commitment.ts';
import type { BuiltTransaction, KeyHash } from '../transaction.ts';
import { smallestOutput } from './outputs.ts';

/** Metadata label under which a mint commits to the plan of its settlement. */
const planLabel = 868_485;

export interface FtMint {
  readonly operator: Payer;
  readonly policy: NativeScript;
  readonly policyKeyHash: KeyHash;
  /** The whole supply in base units, and the name in hex without its CIP-67 label. */
  readonly ft: FtDescription & { readonly nameHex: string; readonly supply: bigint };
  readonly settlementAddress: string;
  readonly custodyAddress: string;
  readonly plan: PlanCommitment;
  /** At most the slot of T, the deadline of the policy. */
  readonly ttlSlot: number;
}

/**
 * Mints the whole FT supply to the settlement address (output 0) and the CIP-68 reference token to custody (output 1), and records who
 * gets what of it; the operator pays. Throws INSUFFICIENT_FUNDS.
 */
export function buildFtMint({ parameters }: ChainContext, input: FtMint): BuiltTransaction {
  const { ft, policy } = input;
  const policyId = scriptHash(policy);
  const supply = [ftNameHex(ft.nameHex), ft.supply] as const;
  const reference = [referenceNameHex(ft.nameHex), 1n] as const;
  const holding = ([name, quantity]: readonly [string, bigint], address: string) => ({
    address,
    assets: new Map([[policyId + name, quantity]]),
  });
  return buildBalanced(parameters, input.operator, {
    outputs: [
      { ...holding(supply, input.settlementAddress), lovelace: settlementFloat(parameters) },
      smallestOutput(parameters, { ...holding(reference, input.custodyAddress), datum: referenceDatum(ft) }),
    ],
    mint: { policy: policy, quantities: new Map([supply, reference]) },
    metadata: { [planLabel]: { v: 1, ...input.plan } },
    ttlSlot: input.ttlSlot,
    cosigners: [input.policyKeyHash],
  });
}
