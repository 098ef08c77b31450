import { readBech32, readWalletAddress, type WalletAddress } from '../../cardano/scripts/address.ts';
import type { KeyHash, NetworkId } from '../../cardano/transaction.ts';
import type { FieldProblem } from '../../platform/errors/errors.ts';
import type { EndTerms, VaultTerms } from '../rules/vault.ts';
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
  const { admin_user: user, governance_settings: settings } = request;
  const admin = readWalletAddress(user.wallet_address, networkId);
  const cosigners = parseWalletList(settings.cosigners ?? [], 'governance_settings.cosigners', networkId);
  const contributors = parseWalletList(request.contributor_whitelist, 'contributor_whitelist', networkId);
  const investors = parseWalletList(request.investor_whitelist, 'investor_whitelist', networkId);
  const adminProblem =
    typeof admin === 'string' ? [addressProblem(admin === 'wrong_network', 'admin_user.wallet_address')] : [];
  return {
    admin: typeof admin === 'string' ? '' : admin.address,
    cosignerKeyHashes: cosigners.wallets.map(({ paymentKeyHash }) => paymentKeyHash),
    whitelists: {
      contributorWhitelist: addressesOf(contributors.wallets),
      investorWhitelist: addressesOf(investors.wallets),
    },
    problems: [...adminProblem, ...contributors.problems, ...investors.problems, ...cosigners.problems],
  };
}

/** The wallets that `termination` names, and the problems of those that are not valid on this network. */
export function parseRecipients({ termination }: VaultRequest, networkId: NetworkId) {
  const { remaining_assets_to: assetsTo, unclaimed_lovelace_to: lovelaceTo } = termination;
  const parse = (text: string | undefined, field: string) => {
    const wallet = text === undefined ? null : readWalletAddress(text, networkId);
    if (typeof wallet !== 'string') return { address: wallet?.address, problems: [] };
    return { address: undefined, problems: [addressProblem(wallet === 'wrong_network', `termination.${field}`)] };
  };
  const assets = parse(assetsTo, 'remaining_assets_to');
  const unclaimed = parse(lovelaceTo, 'unclaimed_lovelace_to');
  const recipients: EndTerms = {
    ...(assets.address !== undefined && { remainingAssetsTo: assets.address }),
    ...(unclaimed.address !== undefined && { unclaimedLovelaceTo: unclaimed.address }),
  };
  return { recipients, problems: [...assets.problems, ...unclaimed.problems] };
}

/** The addresses of wallets, each once. */
export function addressesOf(wallets: readonly WalletAddress[]): string[] {
  return [...new Set(wallets.map(({ address }) => address))];
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

/** The wallets of one list of a request, and the problems of those that are not valid on this network. */
export function parseWalletList(texts: readonly string[], field: string, networkId: NetworkId) {
  const parsed = texts.map((text) => readWalletAddress(text, networkId));
  const problems = parsed.flatMap((wallet, index) =>
    typeof wallet === 'string' ? [addressProblem(wallet === 'wrong_network', `${field}.${index}`)] : [],
  );
  const wallets = parsed.flatMap((wallet) => (typeof wallet === 'string' ? [] : [wallet]));
  return { wallets, problems };
}

function addressProblem(isWrongNetwork: boolean, field: string): FieldProblem {
  return isWrongNetwork
    ? { code: 'WRONG_NETWORK', message: 'The address belongs to another network', field }
    : { code: 'INVALID_ADDRESS', message: 'This is not a Cardano address with a payment key', field };
}
