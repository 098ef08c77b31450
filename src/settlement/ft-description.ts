import { type FtDescription, tickerOf } from '../cardano/tokens/fractional-token.ts';
import { type TokenLook, vaultPage } from '../cardano/tokens/picture.ts';
import type { Vault } from '../vaults/queries/vaults.ts';

/** What wallets show for the fractional token of a vault. */
export function ftDescription({ id, name, terms }: Vault, look: TokenLook): FtDescription {
  return { name, ticker: tickerOf(name), decimals: terms.ftDecimals, logo: look.image, url: vaultPage(look, id) };
}
