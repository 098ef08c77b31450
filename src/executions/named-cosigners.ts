import { parseWalletAddress } from '../cardano/scripts/address.ts';
import type { NetworkId } from '../cardano/transaction.ts';
import type { Cosigner } from './rules/eligible-cosigners.ts';
import { cosigningRules } from './rules/executor-rules.ts';
import { cosignersToSign, requireCosigners, requireNoPlatformKey } from './rules/named-cosigners.ts';
import type { Transaction } from '../platform/database/database.ts';
import { requirePlatform } from '../access/actor.ts';
import { cosignerOf, type ExecutableProposal } from './executable-proposal.ts';
import type { ExecutionParams } from './execution-params.ts';

/** The cosigners of an execution, and how many of them have to sign. */
export interface NamedCosigners {
  readonly cosigners: readonly Cosigner[];
  readonly requiredCosigners: number;
}

/**
 * The cosigners that a request to freeze names. Throws INVALID_ADDRESS, WRONG_NETWORK, COSIGNER_NOT_ELIGIBLE, INVALID_REQUEST for
 * their number, and the error of `tooFew`.
 */
export async function requireNamedCosigners(
  tx: Transaction,
  executable: ExecutableProposal,
  params: Pick<ExecutionParams, 'cosigners' | 'requiredCosigners'>,
  networkId: NetworkId,
  tooFew: Parameters<typeof requireCosigners>[2],
): Promise<NamedCosigners> {
  const rules = cosigningRules(executable);
  const cosigners = requireCosigners(await namedCosigners(tx, executable, params.cosigners, networkId), rules, tooFew);
  const numbers = { requested: params.requiredCosigners, named: cosigners.length };
  return { cosigners, requiredCosigners: cosignersToSign(rules, numbers) };
}

/** The named wallets with their power. Throws INVALID_ADDRESS, WRONG_NETWORK, and COSIGNER_NOT_ELIGIBLE for keys of the platform. */
export async function namedCosigners(
  tx: Transaction,
  executable: ExecutableProposal,
  named: readonly string[],
  networkId: NetworkId,
): Promise<readonly Cosigner[]> {
  const cosigners: Cosigner[] = [];
  for (const [position, text] of named.entries()) {
    const { address: wallet, paymentKeyHash } = parseWalletAddress(text, networkId, `cosigners.${position}`);
    cosigners.push(await cosignerOf(tx, executable, { wallet, keyHash: paymentKeyHash }));
  }
  const { operatorKeyHash } = await requirePlatform(tx);
  requireNoPlatformKey(cosigners, [executable.vault.vaultKeyHash, operatorKeyHash]);
  return cosigners;
}
