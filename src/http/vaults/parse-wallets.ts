import { readBech32, readWalletAddress } from '../../chain/scripts/address.ts';
import type { KeyHash, NetworkId } from '../../chain/transaction.ts';
import type { FieldProblem } from '../../domain/errors.ts';
import type { VaultTerms } from '../../domain/vault/vault.ts';
import type { VaultRequest } from './request.ts';

interface VaultWallets {
  /** Empty when the address is not valid. */
  readonly admin: string;
  readonly cosignerKeyHashes: readonly KeyHash[];
  readonly whitelists: Pick<VaultTerms, 'contributorWhitelist' | 'investorWhitelist'>;
  readonly problems: readonly FieldProblem[];
}

/** The wallets that the request names, and the problems of those that are not valid on this network. */
export function parseWallets(request: VaultRequest, networkId: NetworkId): VaultWallets {
  const problems: FieldProblem[] = [];
  const parse = (texts: readonly string[], fieldAt: (index: number) => string) =>
    texts.flatMap((text, index) => {
      const wallet = readWalletAddress(text, networkId);
      if (typeof wallet !== 'string') return [wallet];
      problems.push(addressProblem(wallet === 'wrong_network', fieldAt(index)));
      return [];
    });
  const parseWhitelist = (name: 'contributor_whitelist' | 'investor_whitelist') => {
    const wallets = parse(request[name], (index) => `${name}.${index}`);
    return [...new Set(wallets.map(({ address }) => address))];
  };
  const [admin] = parse([request.admin_user.wallet_address], () => 'admin_user.wallet_address');
  const cosigners = parse(
    request.governance_settings.cosigners ?? [],
    (index) => `governance_settings.cosigners.${index}`,
  );
  return {
    admin: admin?.address ?? '',
    cosignerKeyHashes: cosigners.map(({ paymentKeyHash }) => paymentKeyHash),
    whitelists: {
      contributorWhitelist: parseWhitelist('contributor_whitelist'),
      investorWhitelist: parseWhitelist('investor_whitelist'),
    },
    problems,
  };
}

/** Problems of `staking_addresses`: each must be a payment address (CIP-19) of this network; it may be a script. */
export function stakingAddressProblems(
  { governance_settings: settings }: VaultRequest,
  networkId: NetworkId,
): FieldProblem[] {
  return (settings.staking_addresses ?? []).flatMap((text, index) => {
    const field = `governance_settings.staking_addresses.${index}`;
    const header = readBech32(text)?.bytes[0];
    // Address types from 8 on are Byron and stake addresses, where the vault cannot place assets.
    if (header === undefined || header >> 4 > 7) return [addressProblem(false, field)];
    return (header & 0x0f) === networkId ? [] : [addressProblem(true, field)];
  });
}

function addressProblem(isWrongNetwork: boolean, field: string): FieldProblem {
  return isWrongNetwork
    ? { code: 'WRONG_NETWORK', message: 'The address belongs to another network', field }
    : { code: 'INVALID_ADDRESS', message: 'This is not a Cardano address with a payment key', field };
}
